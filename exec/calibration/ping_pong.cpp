#include "exec/calibration/ping_pong.h"

#include "exec/calibration/forked.h"
#include "exec/driver/node_driver.h"
#include "exec/usage/usage.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {
using tcp = boost::asio::ip::tcp;

constexpr int kWarmUp = 200;        // rounds before the first that counts
constexpr Bytes kLarge{64 * 1024};  // about the size of a small model's parameters
constexpr Bytes kMost{16 * 1024 * 1024};

// Sends, waits for the answer, sends again.
class Caller : public Node {
 public:
  Caller(Bytes payload, int rounds) : payload_(payload), rounds_(rounds) {}

  void handle(Instant now, Input input, Effects& effects) override {
    if (std::holds_alternative<Received>(input)) times_.push_back(now - sent_);
    if (static_cast<int>(times_.size()) == rounds_) {
      effects.emplace_back(Finished{});
      return;
    }
    sent_ = now;
    Message message;
    message.payload = Payload::allocate(payload_);
    std::ranges::fill(message.payload.writable_floats(), 1.0F);
    effects.emplace_back(Send{NodeId(1), std::move(message)});
  }

  [[nodiscard]] double median_s() {
    const auto middle = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 2);
    std::nth_element(times_.begin(), middle, times_.end());
    return middle->seconds();
  }

 private:
  Bytes payload_;
  int rounds_;
  Instant sent_;
  std::vector<Duration> times_;
};

// Answers every message with an empty one.
class Echo : public Node {
 public:
  void handle(Instant /*now*/, Input input, Effects& effects) override {
    if (std::holds_alternative<Received>(input)) effects.emplace_back(Send{NodeId(0), Message{}});
    if (std::holds_alternative<PeerLost>(input)) effects.emplace_back(Finished{});
  }
};

double cpu_s() {
  const ProcessUsage used = process_usage();
  return used.cpu_user_s + used.cpu_system_s;
}

struct Sample {
  double median_s = 0;
  double cpu_s = 0;
};

// Drives `program` until it has finished; `finished` fills in what it knows.
Sample drive(boost::asio::io_context& loop, tcp::socket socket, NodeId id, NodeId peer,
             std::unique_ptr<Node> program, const std::function<void(Sample&)>& finished) {
  Sample sample;
  DriverHooks hooks;
  hooks.report = [](const Report&) {};
  hooks.finished = [&](const Finished&) {
    finished(sample);
    loop.stop();
  };
  hooks.fault = [&loop](const Fault&) { loop.stop(); };
  NodeDriver driver(loop, id, std::move(program), std::move(hooks));
  driver.add_peer(peer, std::make_shared<Connection>(std::move(socket), kMost));
  const double before = cpu_s();
  driver.start();
  loop.run();
  sample.cpu_s = cpu_s() - before;
  return sample;
}

Sample call(unsigned short port, Bytes payload, int rounds) {
  boost::asio::io_context loop(1);
  tcp::socket socket(loop);
  socket.open(tcp::v4());
  choose_congestion_control(socket.native_handle());
  socket.connect({boost::asio::ip::address_v4::loopback(), port});
  auto caller = std::make_unique<Caller>(payload, rounds + kWarmUp);
  Caller& program = *caller;
  return drive(loop, std::move(socket), NodeId(0), NodeId(1), std::move(caller),
               [&program](Sample& sample) { sample.median_s = program.median_s(); });
}

Sample answer(int listening_socket) {
  boost::asio::io_context loop(1);
  tcp::acceptor acceptor(loop, tcp::v4(), dup(listening_socket));
  return drive(loop, acceptor.accept(), NodeId(1), NodeId(0), std::make_unique<Echo>(),
               [](Sample&) {});
}

}  // namespace

RoundTrip measure_round_trip(int caller_core, int echo_core, Bytes payload, int rounds) {
  boost::asio::io_context loop(1);
  tcp::acceptor acceptor(loop);
  acceptor.open(tcp::v4());
  choose_congestion_control(acceptor.native_handle());
  acceptor.bind({boost::asio::ip::address_v4::loopback(), 0});
  acceptor.listen();
  const unsigned short port = acceptor.local_endpoint().port();
  Forked<Sample> caller(caller_core, [&] { return call(port, payload, rounds); });
  Forked<Sample> echo(echo_core, [&] { return answer(acceptor.native_handle()); });
  const Sample here = caller.get();
  const Sample there = echo.get();
  const double all = rounds + kWarmUp;
  return {here.median_s, here.cpu_s / all, there.cpu_s / all};
}

TransportCost measure_transport(int core_a, int core_b) {
  constexpr int kRounds = 3000;
  const int other = core_b < 0 ? core_a : core_b;
  const RoundTrip small = measure_round_trip(core_a, other, {}, kRounds);
  const RoundTrip large = measure_round_trip(core_a, other, kLarge, kRounds / 3);
  const RoundTrip together = measure_round_trip(core_a, core_a, {}, kRounds);
  const double message_s = (small.cpu_caller_s + small.cpu_echo_s) / 2;  // one sent, one received
  const auto bytes = static_cast<double>(kLarge.value);
  TransportCost cost;
  cost.send = {message_s / 2, std::max(0.0, large.cpu_caller_s - small.cpu_caller_s) / bytes};
  cost.receive = {message_s / 2, std::max(0.0, large.cpu_echo_s - small.cpu_echo_s) / bytes};
  const auto rest = [&](const RoundTrip& trip) {
    return Duration::from_seconds(std::max(0.0, trip.time_s / 2 - message_s));
  };
  cost.wake = core_b < 0 ? Duration{} : rest(small);
  cost.handoff = rest(together);
  return cost;
}

}  // namespace foretrain::exec
