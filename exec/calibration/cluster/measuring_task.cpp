#include "exec/calibration/cluster/measuring_task.h"

#include "exec/calibration/calibration_cache.h"
#include "exec/driver/event_loop.h"
#include "exec/launch/control.h"
#include "exec/launch/join_settings.h"
#include "exec/launch/this_program.h"
#include "exec/system/this_processor.h"
#include "exec/transport/connecting.h"
#include "exec/transport/pending_handshakes.h"
#include "exec/transport/tuning.h"
#include "reports/record/record.h"
#include "reports/record/statistics.h"
#include "reports/record/stderr_note.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint16_t kLoad = 120;    // frame kinds between two tasks
constexpr std::uint16_t kAnswer = 121;  // empty
constexpr Bytes kLargest{1'000'000};
constexpr std::size_t kExpected = 16;  // concurrent connections, at most
constexpr std::chrono::seconds kPatience{30};
constexpr Duration kPollOfCalls{20'000'000};
constexpr Clock::time_point kNotYet = Clock::time_point::max();

void tune_link(int socket) { tune(socket, {}); }

void send_frame(Connection& connection, std::uint16_t kind, const Payload& payload = {}) {
  FrameHeader header;
  header.kind = kind;
  header.payload_bytes = static_cast<std::uint64_t>(payload.size().value);
  connection.send(header, payload);
}

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// The measuring end of another host.
struct LinkPlace {
  std::uint32_t rank = 0;
  boost::asio::ip::tcp::endpoint endpoint;
};

struct LinkSpeed {
  Duration round_trip;  // median interval of answers on a connection
  double bytes_ps = 0;  // answered payload bytes, over all connections
};

// Connections are those of a run, with frames, job key and congestion control, but not encrypted,
// since forecasts do not model encryption. Each frame is answered by an empty one. Runs on the
// loop's thread.
class LinkEnd {
 public:
  // `why`: the reason of the failure, as a part of a sentence.
  using OnFailed = std::function<void(const std::string& why)>;

  // Listens at `address`. `poll`: the loop's polling time (event_loop.h); set here, because nobody
  // may sleep while empty frames are exchanged. @throws std::runtime_error if it cannot listen
  LinkEnd(boost::asio::io_context& loop, Duration& poll, const JobKey& key, std::uint32_t rank,
          const boost::asio::ip::address& address, OnFailed on_failed);

  [[nodiscard]] int port() const { return acceptor_.local_endpoint().port(); }
  // One measurement at a time.
  void measure(const LinkPlace& there, const LinkUse& use,
               std::function<void(const LinkSpeed&)> done);

 private:
  struct Line {
    std::shared_ptr<Connection> connection;
    std::vector<Clock::time_point> answers;  // counted ones
  };

  void answer(const std::shared_ptr<Connection>& connection);
  void connect();
  void add_line(const std::shared_ptr<Connection>& connection);
  void send(Line& line);
  void end_if_counted();

  boost::asio::io_context& loop_;
  Duration& poll_;
  JobKey key_;
  std::uint32_t rank_;
  OnFailed on_failed_;
  boost::asio::ip::tcp::acceptor acceptor_;
  PendingHandshakes pending_;

  // State of the present measurement:
  LinkPlace there_;
  LinkUse use_;
  Payload frame_;
  std::function<void(const LinkSpeed&)> done_;
  std::vector<std::unique_ptr<Line>> lines_;
  Clock::time_point warm_until_;  // set once all are connected
};

LinkEnd::LinkEnd(boost::asio::io_context& loop, Duration& poll, const JobKey& key,
                 std::uint32_t rank, const boost::asio::ip::address& address, OnFailed on_failed)
    : loop_(loop),
      poll_(poll),
      key_(key),
      rank_(rank),
      on_failed_(std::move(on_failed)),
      acceptor_(loop),
      pending_(loop, {.key = key, .most_payload = kLargest}, rank, kExpected) {
  const std::string wrong = listen_at(acceptor_, {address, 0}, tune_link);
  if (!wrong.empty()) {
    throw std::runtime_error(fmt::format("cannot listen on {}: {}", address.to_string(), wrong));
  }
  pending_.open(
      [this](const std::shared_ptr<Connection>& peer, std::uint32_t /*from*/) { answer(peer); },
      [](const std::string& /*peer*/, const Refused& /*refused*/) {});
  pending_.serve(acceptor_);
}

void LinkEnd::answer(const std::shared_ptr<Connection>& connection) {
  connection->start(
      [this, raw = connection.get()](const FrameHeader& header, const Payload& /*payload*/) {
        if (header.payload_bytes == 0) poll_ = kPollOfCalls;
        send_frame(*raw, kAnswer);
      },
      [this](const std::string& /*why*/) { poll_ = {}; });
}

void LinkEnd::measure(const LinkPlace& there, const LinkUse& use,
                      std::function<void(const LinkSpeed&)> done) {
  there_ = there;
  use_ = use;
  done_ = std::move(done);
  warm_until_ = kNotYet;
  frame_ = Payload::allocate({use.frame});
  std::ranges::fill(frame_.writable_bytes(), std::byte{});
  for (std::int64_t i = 0; i < use.connections; ++i) connect();
}

void LinkEnd::connect() {
  exec::connect(
      loop_,
      {.there = there_.endpoint,
       .ends = {rank_, there_.rank},
       .handshake = {.key = key_, .most_payload = kLargest},
       .deadline = Clock::now() + kPatience,
       .tune = tune_link},
      [this](const std::shared_ptr<Connection>& peer, const auto& /*here*/) { add_line(peer); },
      [this](const std::string& why, const auto& /*refused*/) {
        on_failed_(fmt::format("cannot reach rank {} at {}: {}", there_.rank,
                               to_text(there_.endpoint), why));
      });
}

// All connections begin together.
void LinkEnd::add_line(const std::shared_ptr<Connection>& connection) {
  lines_.push_back(std::make_unique<Line>(Line{connection, {}}));
  connection->start(
      [this, line = lines_.back().get()](const FrameHeader& /*header*/,
                                         const Payload& /*payload*/) {
        if (Clock::now() >= warm_until_) line->answers.push_back(Clock::now());
        send(*line);
        end_if_counted();
      },
      [this](const std::string& why) { on_failed_(fmt::format("rank {}: {}", there_.rank, why)); });
  if (std::ssize(lines_) < use_.connections) return;
  if (use_.frame == 0) poll_ = kPollOfCalls;
  warm_until_ = Clock::now() + std::chrono::nanoseconds(use_.warm.ns);
  for (const auto& line : lines_) {
    for (std::int64_t i = 0; i < use_.on_way; ++i) send(*line);
  }
}

void LinkEnd::send(Line& line) { send_frame(*line.connection, kLoad, frame_); }

void LinkEnd::end_if_counted() {
  const auto now = Clock::now();
  const auto few = [this](const auto& line) { return std::ssize(line->answers) < use_.answers; };
  if (now < warm_until_ + std::chrono::nanoseconds(use_.counted.ns)) return;
  if (std::ranges::any_of(lines_, few)) return;
  std::int64_t frames = -1;  // the last answer only ends the interval
  std::vector<double> times_s;
  for (const auto& line : lines_) {
    const auto& answers = line->answers;
    frames += std::ssize(answers);
    for (std::size_t i = 1; i < answers.size(); ++i) {
      times_s.push_back(seconds(answers[i] - answers[i - 1]));
    }
    line->connection->close();
  }
  LinkSpeed speed;
  speed.bytes_ps = static_cast<double>(frames * use_.frame) / seconds(now - warm_until_);
  speed.round_trip = Duration::from_seconds(median(std::move(times_s)).value_or(0));
  poll_ = {};
  // The caller is a callback of one of them, so they are destroyed later.
  boost::asio::post(loop_, [done = std::move(lines_)] {});
  lines_.clear();
  std::exchange(done_, {})(speed);
}

nlohmann::json to_json(const Processor& processor) {
  return {{"name", processor.name},   {"family", processor.family}, {"model", processor.model},
          {"cores", processor.cores}, {"l1d", processor.l1d.value}, {"l2", processor.l2.value},
          {"l3", processor.l3.value}};
}

LinkPlace place_of(const nlohmann::json& order) {
  return {
      order.at("rank"),
      {boost::asio::ip::make_address(order.at("address").get<std::string>()), order.at("port")}};
}

LinkUse use_of(const nlohmann::json& use) {
  return {use.at(0), use.at(1), use.at(2), use.at(3), {use.at(4)}, {use.at(5)}};
}

class MeasuringTask {
 public:
  MeasuringTask(const JoinSettings& joining, std::vector<Case> cases, CalibrateOptions options)
      : joining_(joining), cases_(std::move(cases)), options_(std::move(options)) {
    join(
        loop_, joining_,
        [this](const std::shared_ptr<Connection>& lead, const boost::asio::ip::address& here) {
          on_joined(lead, here);
        },
        [this](const std::string& why) { end_alone(why); });
  }

  int run() {
    while (!loop_.stopped()) {
      try {
        run_polling(loop_, poll_, [] { return false; });
      } catch (const std::exception& error) {
        give_up(error.what());
      }
    }
    return status_;
  }

 private:
  void on_joined(const std::shared_ptr<Connection>& lead, const boost::asio::ip::address& here) {
    lead_ = lead;
    lead->give_up_after(joining_.limit);
    lead->start(
        [this](const FrameHeader& header, const Payload& payload) { on_frame(header, payload); },
        [this](const std::string& why) { end_alone("lost rank 0: " + why); });
    link_.emplace(loop_, poll_, joining_.known.key, index_of(joining_.id), here,
                  [this](const std::string& why) { give_up(why); });
    tell({{"host", host_name()}, {"address", here.to_string()}, {"port", link_->port()}});
  }

  void on_frame(const FrameHeader& header, const Payload& payload) {
    const auto kind = static_cast<ControlKind>(header.kind);
    if (kind == ControlKind::measure) {
      try {
        return obey(json_of(payload));
      } catch (const std::exception& error) {
        return give_up(error.what());
      }
    }
    if (kind != ControlKind::exit) return;
    if (text_of(payload) == name_of(Outcome::done)) status_ = 0;
    if (text_of(payload) == name_of(Outcome::failed))
      say("the calibration failed; rank 0 says why");
    loop_.stop();
  }

  void obey(const nlohmann::json& order) {
    if (order.is_null()) {  // no other work meanwhile: rank 0 waits
      return tell({{"machine", to_yaml(calibrate(cases_, options_))},
                   {"processor", to_json(this_processor())}});
    }
    link_->measure(place_of(order), use_of(order.at("use")), [this](const LinkSpeed& speed) {
      tell({{"round_trip_ns", speed.round_trip.ns}, {"bytes_ps", speed.bytes_ps}});
    });
  }

  void tell(const nlohmann::json& what) {
    send_json(*lead_, ControlKind::measured, joining_.id, what);
  }
  void give_up(const std::string& why) {
    if (!lead_) return end_alone(why);
    send_json(*lead_, ControlKind::trouble, joining_.id, {{"why", why}});
  }
  void end_alone(const std::string& why) {
    say(why);
    loop_.stop();
  }
  void say(const std::string& why) const {
    stderr_note(fmt::format("error: rank {}: {}\n", index_of(joining_.id), why));
  }

  boost::asio::io_context loop_{1};
  JoinSettings joining_;
  std::vector<Case> cases_;
  CalibrateOptions options_;
  std::shared_ptr<Connection> lead_;
  Duration poll_;
  std::optional<LinkEnd> link_;
  int status_ = 1;
};

}  // namespace

nlohmann::json to_json(const LinkUse& use) {
  return {use.connections, use.on_way, use.frame, use.answers, use.warm.ns, use.counted.ns};
}

Processor processor_of(const nlohmann::json& json) {
  return {json.at("name"),  json.at("family"), json.at("model"), json.at("cores"),
          {json.at("l1d")}, {json.at("l2")},   {json.at("l3")}};
}

int measure_as(int rank, const Meeting& meeting, Duration limit, const std::vector<Case>& cases,
               const CalibrateOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  JoinSettings joining;
  joining.launcher = meeting.place;
  joining.known = meeting.known;
  joining.id = NodeId(static_cast<std::uint32_t>(rank));
  joining.limit = limit;
  CalibrateOptions compute = options;
  compute.among_tasks = true;
  return MeasuringTask(joining, cases.empty() ? usual_cases() : cases, compute).run();
}

}  // namespace foretrain::exec
