// Connections that have not proved the job key yet.
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

/// Anybody can connect; a stranger may connect hundreds of times and send nothing. So all
/// connections are accepted at once and prove the key concurrently, and those that have not proved
/// it yet are bounded:
///
///     by time     Handshake::limit
///     by number   kMostStrangers in addition to the nodes that have not joined. If one more
///                 connects, the one that has waited longest is refused: a node of the run needs a
///                 moment, a stranger stays. A refused node may connect again.
///
/// A connection that has proved the key leaves the lobby, and is never closed to make room. If this
/// process can open no more descriptors, the one that has waited longest makes room, too.
///
/// On the thread of the loop, which must not run after this object is destroyed.
class PendingHandshakes {
 public:
  /// A refused peer, by address and port.
  using OnTurnedAway = std::function<void(const std::string& peer, const Refused& refused)>;

  /// `self`: this end's id. `expected`: number of nodes that have not joined; each that proves the
  /// key reduces it, so at most this number plus kMostStrangers are open together.
  PendingHandshakes(boost::asio::io_context& loop, Handshake handshake, std::uint32_t self,
                    std::size_t expected);

  void open(OnProved on_proved, OnTurnedAway on_turned_away);
  /// Accepts connections from `acceptor` until that is closed; it lives as long as this.
  void serve(boost::asio::ip::tcp::acceptor& acceptor);
  /// Number of connections that have not proved the key.
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

/// Limit of waiting strangers. Each costs a descriptor.
inline constexpr std::size_t kMostStrangers = 64;

}  // namespace foretrain::exec
