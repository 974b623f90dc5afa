// How a process comes to the launcher that it belongs to.
#pragma once

#include "exec/transport/handshake.h"
#include "models/base/quantity.h"
#include "models/base/time.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace foretrain::exec {

/// How a node finds its run.
struct Joining {
  boost::asio::ip::tcp::endpoint launcher;
  NodeId id{};
  Credentials known;
  Duration limit{60'000'000'000};  ///< tries again until then
  bool is_task = false;            ///< nobody waits for this process: it says itself what is wrong
};

/// Connects to the launcher, again and again until the limit: it may come later than its nodes,
/// where somebody else starts all of them. On the thread of the loop, which it outlives.
class Join {
 public:
  /// `here`: the address of this end, by which others of the run may reach it.
  using OnJoined = std::function<void(const std::shared_ptr<Connection>& launcher,
                                      const boost::asio::ip::address& here)>;
  using OnFailed = std::function<void(const std::string& why)>;

  static constexpr auto kRetryInterval = std::chrono::milliseconds(100);

  Join(boost::asio::io_context& loop, const Joining& joining, OnJoined on_joined,
       OnFailed on_failed);

 private:
  void join();
  void greet(boost::asio::ip::tcp::socket socket);
  void join_later(const std::string& why);

  boost::asio::io_context& loop_;
  Joining joining_;
  OnJoined on_joined_;
  OnFailed on_failed_;
  boost::asio::steady_timer timer_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace foretrain::exec
