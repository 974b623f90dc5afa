// A host's end of connections whose speed is measured.
#pragma once

#include "exec/transport/lobby.h"
#include "models/base/time.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {

/// What is sent from one host to another for a while, by a number that no other one has.
struct LinkLoad {
  std::int64_t number = 0;
  int connections = 1;
};

/// Another host's end.
struct LinkPlace {
  std::uint32_t rank = 0;
  boost::asio::ip::tcp::endpoint endpoint;
};

/// Connections are those of a run: frames, the job key, the congestion control; none is encrypted,
/// since forecasts know no encryption. Answers calls, takes what is sent, by itself; one thing at a
/// time is asked of it. On the thread of the loop.
class LinkEnd {
 public:
  /// As a part of a sentence: why it cannot be measured.
  using OnFailed = std::function<void(const std::string& why)>;

  /// Listens at `address`. `poll`: how long the loop polls (event_loop.h), set here: while calls go
  /// to and fro nobody shall sleep. @throws std::runtime_error where it cannot listen
  LinkEnd(boost::asio::io_context& loop, Duration& poll, const JobKey& key, std::uint32_t rank,
          const boost::asio::ip::address& address, OnFailed on_failed);

  [[nodiscard]] int port() const { return acceptor_.local_endpoint().port(); }
  /// Small messages go there and back, one at a time. `done`: the median of so many.
  void call(const LinkPlace& there, int rounds, std::function<void(Duration round_trip)> done);
  /// Sends all that goes, until it is to stop.
  void load(const LinkPlace& there, const LinkLoad& load);
  void stop();
  /// Once all connections of that load bring something: after `warm` the bytes a second that come
  /// in `time`, headers left out.
  void count(const LinkLoad& load, Duration warm, Duration time,
             std::function<void(double bytes_per_second)> done);

 private:
  struct Incoming {
    std::int64_t load = -1;  // none yet
    std::shared_ptr<Connection> connection;
  };

  struct Calls {
    std::shared_ptr<Connection> connection;
    std::size_t rounds = 0;
    std::function<void(Duration)> done;
    std::chrono::steady_clock::time_point sent;
    std::vector<double> times_s{};
  };

  struct Count {
    LinkLoad load;
    Duration warm;
    Duration time;
    std::function<void(double)> done;
    std::chrono::steady_clock::time_point asked;
    std::chrono::steady_clock::time_point begun{};
    std::uint64_t before = 0;
  };

  void take(const std::shared_ptr<Connection>& connection);
  void connect(const LinkPlace& there,
               std::function<void(const std::shared_ptr<Connection>&)> connected);
  void call_once();
  void on_reply();
  void load_by(const std::shared_ptr<Connection>& connection, std::int64_t number);
  void wait_for_load();
  void begin_count();
  void end_count();
  /// Connections of the load that is counted that have brought something, what they all brought.
  [[nodiscard]] std::pair<int, std::uint64_t> arrived() const;
  void after(Duration time, std::function<void()> act);

  boost::asio::io_context& loop_;
  Duration& poll_;
  JobKey key_;
  std::uint32_t rank_;
  OnFailed on_failed_;
  boost::asio::ip::tcp::acceptor acceptor_;
  Lobby lobby_;
  boost::asio::steady_timer timer_;
  std::list<Incoming> incoming_;
  std::vector<std::shared_ptr<Connection>> outgoing_;
  std::optional<Calls> calls_;
  std::optional<Count> count_;
};

}  // namespace foretrain::exec
