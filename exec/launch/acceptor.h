// The launcher's acceptor of node connections.
#pragma once

#include "exec/emulation/hosts.h"
#include "exec/transport/pending_handshakes.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <deque>
#include <string>

namespace foretrain::exec {

/// Listens on every host of a run and admits nodes that prove the job key (pending_handshakes.h).
/// One thread.
class Acceptor {
 public:
  /// `nodes`: number of nodes that will join.
  Acceptor(boost::asio::io_context& loop, const Credentials& known, std::size_t nodes);

  /// Listens at `place`; with an emulation on the loopback of each host, so that traffic to the
  /// launcher does not load the network. Returns the error, or an empty string.
  std::string listen(Hosts& hosts, const boost::asio::ip::tcp::endpoint& place);
  /// `on_joined`: receives the connection with the claimed node id.
  void open(OnProved on_joined, PendingHandshakes::OnTurnedAway on_refused);
  /// Stops accepting: later connections are meant for another launcher.
  void close();
  /// The address for the nodes of a host.
  [[nodiscard]] boost::asio::ip::tcp::endpoint place(std::size_t host) const;

 private:
  boost::asio::io_context& loop_;
  std::deque<boost::asio::ip::tcp::acceptor> acceptors_;  // by host
  PendingHandshakes pending_;
};

}  // namespace foretrain::exec
