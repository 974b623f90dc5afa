// How one process of a run listens, with how another one connects to it.
#pragma once

#include "exec/transport/handshake.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace foretrain::exec {

/// Sets options of a socket before it is bound, or connects (tuning.h).
using TuneSocket = std::function<void(int native_socket)>;

/// Returns what is wrong, or nothing. Processes that this one starts do not inherit the socket.
std::string listen_at(boost::asio::ip::tcp::acceptor& acceptor,
                      const boost::asio::ip::tcp::endpoint& here, const TuneSocket& tune = {});

/// A connection to be made.
struct Connecting {
  boost::asio::ip::tcp::endpoint there;
  Ends ends;
  Handshake handshake;
  std::chrono::steady_clock::time_point deadline;  ///< a slow end is tried again until then
  bool may_come_later = false;                     ///< so is one that does not listen yet
  TuneSocket tune{};
};

/// `here`: the address of this end, by which others of the run may reach it.
using OnConnected = std::function<void(const std::shared_ptr<Connection>& connection,
                                       const boost::asio::ip::address& here)>;
/// `refused`: at the handshake; none: there was no connection. `why`: the last error.
using OnNotConnected =
    std::function<void(const std::string& why, const std::optional<Refused>& refused)>;

/// One of both is called, once, on the thread of the loop.
void connect(boost::asio::io_context& loop, Connecting connecting, OnConnected on_connected,
             OnNotConnected on_not_connected);

}  // namespace foretrain::exec
