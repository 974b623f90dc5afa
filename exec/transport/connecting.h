// Connections between processes of a run: how they listen, how they connect.
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

/// Sets options of a socket before it is bound or connected (tuning.h).
using TuneSocket = std::function<void(int native_socket)>;

/// Returns the error, or an empty string. Child processes do not inherit the socket.
std::string listen_at(boost::asio::ip::tcp::acceptor& acceptor,
                      const boost::asio::ip::tcp::endpoint& here, const TuneSocket& tune = {});

/// A connection to be made.
struct Connecting {
  boost::asio::ip::tcp::endpoint there;
  Ends ends;  ///< node ids of both ends
  Handshake handshake;
  std::chrono::steady_clock::time_point deadline;  ///< slow or crowded ends are retried until then
  bool may_come_later = false;  ///< an end that does not listen yet is tried again, too
  TuneSocket tune{};
};

/// `here`: this end's address, at which others of the run may reach it.
using OnConnected = std::function<void(const std::shared_ptr<Connection>& connection,
                                       const boost::asio::ip::address& here)>;
/// `refused`: refusal of the handshake; nullopt if no connection was made. `why`: the last error.
using OnNotConnected =
    std::function<void(const std::string& why, const std::optional<Refused>& refused)>;

/// Calls one of the two callbacks, once, on the thread of the loop.
void connect(boost::asio::io_context& loop, Connecting connecting, OnConnected on_connected,
             OnNotConnected on_not_connected);

}  // namespace foretrain::exec
