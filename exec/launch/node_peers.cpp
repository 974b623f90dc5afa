// How a node's process comes to its peers.
#include "exec/launch/node_process.h"
#include "exec/transport/tuning.h"
#include "models/protocol/registry.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// A connection is a peer's once it has proved so; anything else is shown the door.
void NodeProcess::welcome_peers() {
  lobby_.emplace(loop_, handshake(largest_message()), index_of(id_), peers_.size());
  lobby_->open(
      [this](const std::shared_ptr<Connection>& peer, std::uint32_t from) {
        const NodeId id{from};
        const bool expected = std::ranges::binary_search(peers_, id) && id < id_;
        if (expected && !driver_->has_peer(id)) return add_peer(id, peer);
        if (expected && may_come_back(*training_, id)) return driver_->meet_again(id, peer);
        refusals_.add(peer->peer(), fmt::format("node {}", from), "no such node is missing here");
        peer->close();
      },
      [this](const std::string& peer, const Refused& refused) {
        const auto nodes = static_cast<std::uint32_t>(training_->nodes());
        const bool node = refused.claimed && *refused.claimed < nodes;
        const std::string name = node ? training_->role(NodeId(*refused.claimed)) : "";
        const bool slow = node && refused.refusal == Refusal::silent;
        const std::string why =
            slow ? fmt::format("{}; if it is {}, its machine is busy, and it tries again",
                               refused.why, name)
                 : refused.why;
        refusals_.add(peer, name, why);
      });
  lobby_->serve(*acceptor_);
}

void NodeProcess::connect_to_peers(const nlohmann::json& places) {
  peers_known_ = true;
  join_deadline_ = Clock::now() + std::chrono::nanoseconds(joining_.limit.ns);
  for (const NodeId peer : peers_) {
    if (peer > id_) connect_to(peer, places.at(index_of(peer)));
  }
  maybe_ready();
}

void NodeProcess::connect_to(NodeId id, const nlohmann::json& place) {
  const tcp::endpoint there(asio::ip::make_address(place.at("address").get<std::string>()),
                            place.at("port"));
  auto socket = std::make_shared<tcp::socket>(loop_);
  socket->open(there.protocol());
  tune_socket(socket->native_handle());
  socket->async_connect(there, [this, socket, id, place, there](error_code error) {
    if (error) {
      return give_up(fmt::format("cannot connect to {}: {}", to_text(there), error.message()), id);
    }
    auto connection = std::make_shared<Connection>(std::move(*socket), kMostBeforeProof);
    handshake(largest_message())
        .begin(
            connection, {index_of(id_), index_of(id)},
            [this, id](const std::shared_ptr<Connection>& peer, std::uint32_t /*from*/) {
              add_peer(id, peer);
            },
            [this, id, place](const Refused& refused) {
              if (!refused.worth_another()) return give_up(refused.why, id);
              connect_later(id, place, refused.why);
            });
  });
}

void NodeProcess::connect_later(NodeId id, const nlohmann::json& place, const std::string& why) {
  if (Clock::now() + Join::kRetryInterval >= join_deadline_) return give_up(why, id);
  auto rest = std::make_shared<asio::steady_timer>(loop_, Join::kRetryInterval);
  rest->async_wait([this, rest, id, place](error_code error) {
    if (!error && !over_) connect_to(id, place);
  });
}

void NodeProcess::add_peer(NodeId peer, const std::shared_ptr<Connection>& connection) {
  driver_->add_peer(peer, connection);
  --peers_missing_;
  maybe_ready();
}

void NodeProcess::maybe_ready() {
  if (ready_ || peers_missing_ > 0 || !peers_known_) return;
  ready_ = true;
  send_signal(*launcher_, ControlKind::ready, id_);
}

void NodeProcess::take_back(const nlohmann::json& back) {
  const auto peer = NodeId(back.at(0).get<int>());
  if (std::ranges::binary_search(peers_, peer)) driver_->take_back(peer, back.at(1));
}

}  // namespace foretrain::exec
