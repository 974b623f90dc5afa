// Where nodes come to their launcher.
#pragma once

#include "exec/emulation/hosts.h"
#include "exec/transport/lobby.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <deque>
#include <string>

namespace foretrain::exec {

/// Listens on every host of a run, lets in who proves the job key (lobby.h). One thread.
class Door {
 public:
  /// So many `nodes` are to come.
  Door(boost::asio::io_context& loop, const Credentials& known, std::size_t nodes);

  /// On `place`; of an emulation on the loopback of each of its hosts, so that what nodes tell
  /// their launcher is no load of the network. Returns what is wrong, or nothing.
  std::string listen(Hosts& hosts, const boost::asio::ip::tcp::endpoint& place);
  /// `on_joined`: the connection, and who it says it is.
  void open(OnProved on_joined, Lobby::OnTurnedAway on_refused);
  /// Whoever comes now comes for somebody else.
  void close();
  /// Where the nodes of a host find it.
  [[nodiscard]] boost::asio::ip::tcp::endpoint place(std::size_t host) const;

 private:
  boost::asio::io_context& loop_;
  std::deque<boost::asio::ip::tcp::acceptor> acceptors_;  // by host
  Lobby lobby_;
};

}  // namespace foretrain::exec
