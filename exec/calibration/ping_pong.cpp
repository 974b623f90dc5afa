#include "exec/calibration/ping_pong.h"

#include "exec/calibration/forked.h"
#include "exec/driver/event_loop.h"
#include "exec/driver/node_driver.h"
#include "exec/system/process.h"
#include "exec/transport/tls.h"
#include "exec/transport/tuning.h"
#include "exec/usage/usage.h"
#include "scenarios/spec/machine.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {
using tcp = boost::asio::ip::tcp;

constexpr Bytes kMost{32 * 1024 * 1024};
constexpr Bytes kElsewhere{2'000'000};  // larger than a core's own caches

using Clock = std::chrono::steady_clock;

int all_rounds(const PingPong& setting) { return setting.rounds + setting.rounds / 2; }

// Memory that is walked over to replace the contents of the caches.
class Elsewhere {
 public:
  explicit Elsewhere(Bytes size) : bytes_(static_cast<std::size_t>(size.value)) {}

  /// Walks at least once and until `end`; does nothing if there is no memory.
  void walk(Clock::time_point end) {
    if (bytes_.empty()) return;  // reading the clock would cost more than a message
    const double before_s = process_usage().cpu_s();
    do {
      for (std::size_t i = 0; i < bytes_.size(); i += 64) ++bytes_[i];
    } while (Clock::now() < end);
    cpu_s_ += process_usage().cpu_s() - before_s;
  }
  /// CPU time of the walks, to be subtracted from that of messages.
  [[nodiscard]] double cpu_s() const { return cpu_s_; }

 private:
  std::vector<unsigned char> bytes_;
  double cpu_s_ = 0;
};

// Sends, waits for the answer, pauses, sends again.
class Caller : public Node {
 public:
  explicit Caller(const PingPong& setting)
      : setting_(setting),
        payload_(Payload::allocate(setting.payload)),
        elsewhere_(std::max(kElsewhere, setting.walked)) {
    std::ranges::fill(payload_.writable_floats(), 1.0F);
  }

  void handle(Instant /*now*/, Input input, Effects& effects) override {
    if (std::holds_alternative<Received>(input)) {
      times_.push_back(std::chrono::duration<double>(Clock::now() - sent_).count());
      if (static_cast<int>(times_.size()) == all_rounds(setting_)) {
        effects.emplace_back(Finished{});
        return;
      }
      if (setting_.rest.ns > 0) {
        effects.emplace_back(ArmTimer{TimerId{0}, setting_.rest});
        return;
      }
    }
    if (setting_.compute.ns > 0) {
      elsewhere_.walk(Clock::now() + std::chrono::nanoseconds(setting_.compute.ns));
    }
    sent_ = Clock::now();
    Message message;
    message.payload = payload_;
    effects.emplace_back(Send{NodeId(1), std::move(message)});
  }

  [[nodiscard]] double computed_s() const { return elsewhere_.cpu_s(); }
  [[nodiscard]] double median_s() {
    const auto middle = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 2);
    std::nth_element(times_.begin(), middle, times_.end());
    return *middle;
  }

 private:
  PingPong setting_;
  Payload payload_;
  Elsewhere elsewhere_;
  Clock::time_point sent_;
  std::vector<double> times_;  // seconds
};

// Answers every message with an empty one.
class Echo : public Node {
 public:
  explicit Echo(const PingPong& setting) : elsewhere_(setting.walked) {}

  void handle(Instant /*now*/, Input input, Effects& effects) override {
    if (std::holds_alternative<Received>(input)) {
      elsewhere_.walk({});
      effects.emplace_back(Send{NodeId(0), Message{}});
    }
    if (std::holds_alternative<PeerLost>(input)) effects.emplace_back(Finished{});
  }
  [[nodiscard]] double walked_s() const { return elsewhere_.cpu_s(); }

 private:
  Elsewhere elsewhere_;
};

struct Sample {
  double median_s = 0;
  double cpu_s = 0;  // of messages
  double other_cpu_s = 0;
};

// Drives `program` until it has finished; `finished` adds its own figures.
Sample drive(boost::asio::io_context& loop, tcp::socket socket, const PingPong& setting,
             std::pair<NodeId, NodeId> self_and_peer, std::unique_ptr<Node> program,
             const std::function<void(Sample&)>& finished) {
  Sample sample;
  DriverHooks hooks;
  hooks.report = [](const Report&) {};
  hooks.finished = [&](const Finished&) {
    finished(sample);
    loop.stop();
  };
  hooks.fault = [&loop](const Fault&) { loop.stop(); };
  NodeDriver driver(loop, self_and_peer.first, std::move(program), std::move(hooks));
  const auto connection = std::make_shared<Connection>(std::move(socket), kMost);
  if (setting.encrypted) {
    const End end = self_and_peer.first == NodeId(0) ? End::connecting : End::accepting;
    const auto tls = Tls::of_key(JobKey("of a measurement alone"));
    connection->wrap([&](OwnedStream plain) { return tls_stream(std::move(plain), tls, end); });
  }
  driver.add_peer(self_and_peer.second, connection);
  const double before = process_usage().cpu_s();
  driver.start();
  run_polling(loop, kPoll, [&] { return !setting.polling; });
  sample.cpu_s = process_usage().cpu_s() - before - sample.other_cpu_s;
  return sample;
}

Sample call(const tcp::endpoint& echo, const PingPong& setting, const Hosts& hosts) {
  boost::asio::io_context loop(1);
  tcp::socket socket(loop);
  hosts.enter(0, [&] { socket.open(tcp::v4()); });
  tune(socket.native_handle(), {});
  socket.connect(echo);
  auto caller = std::make_unique<Caller>(setting);
  Caller& program = *caller;
  return drive(loop, std::move(socket), setting, {NodeId(0), NodeId(1)}, std::move(caller),
               [&program](Sample& sample) {
                 sample.median_s = program.median_s();
                 sample.other_cpu_s = program.computed_s();
               });
}

Sample answer(int listening_socket, const PingPong& setting) {
  boost::asio::io_context loop(1);
  tcp::acceptor acceptor(loop, tcp::v4(), dup(listening_socket));
  auto echo = std::make_unique<Echo>(setting);
  const Echo& program = *echo;
  return drive(loop, acceptor.accept(), setting, {NodeId(1), NodeId(0)}, std::move(echo),
               [&program](Sample& sample) { sample.other_cpu_s = program.walked_s(); });
}

// Computes on its core during its lifetime.
class Busy {
 public:
  explicit Busy(int core) : child_(fork()) {
    if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child_ > 0) return;
    pin_to_cores({core});
    const pid_t parent = getppid();
    while (getppid() == parent) {
    }
    _exit(0);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_;
};

}  // namespace

RoundTrip measure_round_trip(int caller_core, int echo_core, const PingPong& setting,
                             const Hosts& hosts) {
  const std::size_t last = hosts.count() - 1;
  boost::asio::io_context loop(1);
  tcp::acceptor acceptor(loop);
  hosts.enter(last, [&] { acceptor.open(tcp::v4()); });
  tune(acceptor.native_handle(), {});
  acceptor.bind({boost::asio::ip::make_address_v4(hosts.address(last)), 0});
  acceptor.listen();
  const tcp::endpoint place = acceptor.local_endpoint();
  std::optional<Busy> busy;
  if (setting.crowded) busy.emplace(echo_core);
  Forked<Sample> caller(caller_core, [&] { return call(place, setting, hosts); });
  Forked<Sample> echo(echo_core, [&] { return answer(acceptor.native_handle(), setting); });
  const Sample here = caller.get();
  const Sample there = echo.get();
  const double all = all_rounds(setting);
  return {here.median_s, here.cpu_s / all, there.cpu_s / all};
}

}  // namespace foretrain::exec
