#include "exec/launch/node_peers.h"

#include "exec/transport/tuning.h"
#include "models/payload/sparse_push.h"
#include "models/protocol/registry.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// Maximum payload of a message between nodes.
Bytes largest_message(const Training& training) {
  // A cut carries the clock and the gradients of each worker.
  const std::int64_t parameters =
      std::max<std::int64_t>(training.layout->parameters, 2 * training.workers);
  return training.sparse() ? largest_push(parameters) : Bytes{parameters * 4};
}

}  // namespace

NodePeers::NodePeers(asio::io_context& loop, const JoinSettings& joining, const Scenario& scenario,
                     std::shared_ptr<const Training> training, NodeDriver& driver,
                     std::function<void()> all_here, OnFailed on_failed)
    : loop_(loop),
      joining_(joining),
      scenario_(scenario),
      training_(std::move(training)),
      driver_(driver),
      all_here_(std::move(all_here)),
      on_failed_(std::move(on_failed)),
      peers_(peers_of(*training_, joining.id)),
      awaited_(peers_.size() + 1),
      rejected_(fmt::format("node {}", index_of(joining.id))) {}

std::optional<int> NodePeers::listen(const tcp::endpoint& here) {
  if (peers_.empty() || joining_.id < peers_.front()) return 0;
  acceptor_.emplace(loop_);
  const std::string wrong =
      listen_at(*acceptor_, here, [this](int socket) { tune_socket(socket); });
  if (!wrong.empty()) {
    on_failed_(fmt::format("cannot listen on {}: {}; choose other ports with --port", to_text(here),
                           wrong),
               {});
    return {};
  }
  pending_.emplace(loop_, handshake(), index_of(joining_.id), peers_.size());
  pending_->open(
      [this](const std::shared_ptr<Connection>& peer, std::uint32_t from) {
        on_proved(NodeId(from), peer);
      },
      [this](const std::string& peer, const Refused& refused) { on_refused(peer, refused); });
  pending_->serve(*acceptor_);
  return acceptor_->local_endpoint().port();
}

void NodePeers::tune_socket(int native_socket) {
  congestion_control_ = tune(native_socket, scenario_.transport);
  give_up_after(native_socket, silence_of(scenario_));
}

Handshake NodePeers::handshake() const {
  return {.key = joining_.known.key,
          .most_payload = largest_message(*training_),
          .tls = joining_.known.tls,
          .share_memory = scenario_.transport.shared_memory};
}

void NodePeers::on_proved(NodeId from, const std::shared_ptr<Connection>& peer) {
  const bool expected = std::ranges::binary_search(peers_, from) && from < joining_.id;
  if (expected && !driver_.has_peer(from)) return add(from, peer);
  if (expected && may_come_back(*training_, from)) return driver_.meet_again(from, peer);
  rejected_.add(peer->peer(), fmt::format("node {}", index_of(from)),
                "this node is not expected here");
  peer->close();
}

void NodePeers::on_refused(const std::string& peer, const Refused& refused) {
  const auto nodes = static_cast<std::uint32_t>(training_->nodes());
  const bool node = refused.claimed && *refused.claimed < nodes;
  const std::string name = node ? training_->role(NodeId(*refused.claimed)) : "";
  const bool slow = node && refused.refusal == Refusal::silent;
  const std::string why =
      slow ? fmt::format("{}; if it is {}, its machine is busy and it tries again", refused.why,
                         name)
           : refused.why;
  rejected_.add(peer, name, why);
}

void NodePeers::connect(const nlohmann::json& places) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(joining_.limit.ns);
  for (const NodeId peer : peers_) {
    if (peer < joining_.id) continue;
    const nlohmann::json& place = places.at(index_of(peer));
    const tcp::endpoint there(asio::ip::make_address(place.at("address").get<std::string>()),
                              place.at("port"));
    exec::connect(
        loop_,
        {.there = there,
         .ends = {index_of(joining_.id), index_of(peer)},
         .handshake = handshake(),
         .deadline = deadline,
         .tune = [this](int socket) { tune_socket(socket); }},
        [this, peer](const std::shared_ptr<Connection>& connection, const auto& /*here*/) {
          add(peer, connection);
        },
        [this, peer, there](const std::string& why, const std::optional<Refused>& refused) {
          on_failed_(refused ? why : fmt::format("cannot connect to {}: {}", to_text(there), why),
                     peer);
        });
  }
  one_less();
}

void NodePeers::add(NodeId peer, const std::shared_ptr<Connection>& connection) {
  driver_.add_peer(peer, connection);
  one_less();
}

void NodePeers::one_less() {
  if (--awaited_ == 0) all_here_();
}

void NodePeers::take_back(NodeId peer, std::int64_t incarnation) {
  if (std::ranges::binary_search(peers_, peer)) driver_.take_back(peer, incarnation);
}

}  // namespace foretrain::exec
