// Where nodes come to their launcher.
#pragma once

#include "exec/emulation/hosts.h"
#include "exec/transport/handshake.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace foretrain::exec {

/// Listens on every host of a run, lets in who proves the job key. One thread.
class Door {
 public:
  /// The connection, and who it says it is.
  using OnJoined = std::function<void(const std::shared_ptr<Connection>&, std::uint32_t id)>;
  /// The address of somebody who was shown the door, and why.
  using OnRefused =
      std::function<void(const std::string& peer, Refusal refusal, const std::string& why)>;

  Door(boost::asio::io_context& loop, JobKey key) : loop_(loop), key_(std::move(key)) {}

  /// On `place`; of an emulation on the loopback of each of its hosts, so that what nodes tell
  /// their launcher is no load of the network. Returns what is wrong, or nothing.
  std::string listen(Hosts& hosts, const boost::asio::ip::tcp::endpoint& place);
  void open(OnJoined on_joined, OnRefused on_refused);
  /// Whoever comes now comes for somebody else.
  void close();
  /// Where the nodes of a host find it.
  [[nodiscard]] boost::asio::ip::tcp::endpoint place(std::size_t host) const;

 private:
  void accept(boost::asio::ip::tcp::acceptor& acceptor);

  boost::asio::io_context& loop_;
  JobKey key_;
  std::deque<boost::asio::ip::tcp::acceptor> acceptors_;  // by host
  OnJoined on_joined_;
  OnRefused on_refused_;
};

}  // namespace foretrain::exec
