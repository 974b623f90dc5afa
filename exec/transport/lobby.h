// Where connections wait until they have proved the job key.
#pragma once

#include "exec/transport/handshake.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace foretrain::exec {

/// Anybody can connect; a stranger may do so hundreds of times, and say nothing. So all that come
/// are let in at once and prove the key beside each other, and those who have not proved it yet are
/// bounded:
///
///     by time     Handshake::limit
///     by number   kMostStrangers beside the nodes that are still to come. Where one more comes,
///                 the one that has been here longest is refused: a node of the run needs a
///                 moment, a stranger stays. One that was refused so may come again.
///
/// Who has proved the key is not here any more, and never closed for somebody else. Where this
/// process may open no more, the one that has been here longest makes room, too.
///
/// On the thread of the loop, which does not run any more once this is gone.
class Lobby {
 public:
  /// Somebody who was refused, by address and port.
  using OnTurnedAway = std::function<void(const std::string& peer, const Refused& refused)>;

  /// `self`: this end's id. `expected`: nodes that are to come; each that proves the key is one
  /// less, so that with those who are in no more are open than this and kMostStrangers.
  Lobby(boost::asio::io_context& loop, Handshake handshake, std::uint32_t self,
        std::size_t expected);

  void open(OnProved on_proved, OnTurnedAway on_turned_away);
  /// Whoever comes to `acceptor`, from now on until it is closed; it lives as long as this.
  void serve(boost::asio::ip::tcp::acceptor& acceptor);
  /// Who has not proved the key yet.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  void serve_later(boost::asio::ip::tcp::acceptor& acceptor);
  void enter(boost::asio::ip::tcp::socket socket);
  void turn_away_first();

  boost::asio::io_context& loop_;
  Handshake handshake_;
  std::uint32_t self_;
  std::size_t expected_;
  OnProved on_proved_;
  OnTurnedAway on_turned_away_;
  std::uint64_t arrivals_ = 0;
  std::map<std::uint64_t, std::weak_ptr<HandshakeEnd>> waiting_;  // by arrival
};

/// Of strangers that wait. They cost a descriptor each.
inline constexpr std::size_t kMostStrangers = 64;

}  // namespace foretrain::exec
