// Decisions of the supervisor applied to simulated nodes.
#include "models/protocol/registry.h"
#include "sim/driver/sim_training.h"

#include <type_traits>
#include <utility>
#include <variant>

namespace foretrain::sim {

void SimTraining::tell(const supervision::Input& input) {
  supervision::Effects effects;
  supervisor_->handle(world_.engine.now(), input, effects);
  perform(effects);
}

void SimTraining::perform(const supervision::Effects& effects) {
  std::vector<NodeId> killed;
  for (const supervision::Effect& each : effects) {
    std::visit(
        [&]<class What>(const What& effect) {
          if constexpr (std::is_same_v<What, supervision::Kill>) {
            nodes_[index_of(effect.node)]->die();
            killed.push_back(effect.node);
          } else if constexpr (std::is_same_v<What, supervision::BeginAttempt>) {
            listener_.all_left();
          } else if constexpr (requires { perform(effect); }) {
            perform(effect);
          }
        },
        each);
  }
  for (const NodeId id : killed) {
    const auto* lost = std::get_if<supervision::Lost>(&supervisor_->life(id));
    node_faults_.gone(id, lost != nullptr && lost->returns_at);
    tell(supervision::Exited{id, {}});
  }
}

// A new process replaces the node's, or begins with all others; it joins at once.
void SimTraining::perform(const supervision::Start& start) {
  const NodeId id = start.node;
  const std::int64_t incarnation = supervisor_->incarnation(id);
  if (incarnation > 1) {
    std::unique_ptr<Node> program = make_node(training_, id);
    program->rejoin(incarnation);
    std::unique_ptr<SimNode> node = make_node_of(id, watched(id, std::move(program)), {}, {});
    replaced_.push_back(std::exchange(nodes_[index_of(id)], std::move(node)));
  }
  tell(supervision::Joined{id});
}

void SimTraining::tell_ready(NodeId id) {
  tell(supervision::Told{id, supervision::Told::What::ready});
}

void SimTraining::perform(const supervision::Tell& tell) {
  using What = supervision::Tell::What;
  switch (tell.what) {
    case What::setup:
      return this->tell(supervision::Told{*tell.to, supervision::Told::What::listening});
    case What::peers:
      if (tell.to) return tell_ready(*tell.to);
      for (int node = 0; node < training_->nodes(); ++node) tell_ready(NodeId(node));
      return;
    case What::go:
      if (!tell.to) return listener_.ready ? listener_.ready() : go();
      node_faults_.back(*tell.to);
      if (is_blocked_) nodes_[index_of(*tell.to)]->stop(Resource::evaluation);
      return nodes_[index_of(*tell.to)]->start();
    case What::lost:
    case What::back:
      for (const NodeId peer : peers_of(*training_, tell.about)) {
        if (!is_there(peer)) continue;
        SimNode& node = *nodes_[index_of(peer)];
        if (tell.what == What::lost) {
          node.mark_lost(tell.about);
        } else {
          node.take_back(tell.about, supervisor_->incarnation(tell.about));
        }
      }
  }
}

void SimTraining::perform(const supervision::Record& record) {
  const std::size_t index = index_of(record.node);
  const Instant now = world_.engine.now();
  if (record.lost.empty()) {
    away_[index].push_back({std::exchange(lost_[index], {}), left_[index], now});
    --losses_;
  } else {
    lost_[index] = record.lost;
    left_[index] = now;
    ++losses_;
  }
}

// Only these timers matter: simulated nodes join and leave at once.
void SimTraining::perform(const supervision::Arm& arm) {
  using Kind = supervision::Timer::Kind;
  if (arm.timer.kind != Kind::start && arm.timer.kind != Kind::suspicion) return;
  timers_.push_back(arm.timer);
  world_.engine.schedule(arm.at, {this, kFirstNode + nodes_.size() + timers_.size() - 1});
}

void SimTraining::perform(const supervision::EndAttempt& end) {
  if (end.outcome == supervision::EndAttempt::Outcome::done) return;
  if (!end.again || !listener_.sets_back) {
    failure_ = end.failure;
    return;
  }
  listener_.sets_back();
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!supervisor_->is<supervision::Leaving>(NodeId{i})) continue;
    tell(supervision::Left{NodeId{i}, {}});
    tell(supervision::Joined{NodeId{i}});
  }
}

}  // namespace foretrain::sim
