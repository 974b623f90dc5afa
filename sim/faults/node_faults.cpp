#include "sim/faults/node_faults.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {
namespace {
constexpr std::uint64_t kNodeEvents = 4;  // a token: which node, what happens to it
}  // namespace

NodeFaults::NodeFaults(Engine& engine, const Scenario& scenario, int count,
                       const SimNode::Peers& nodes, double time_factors, Died died)
    : engine_(engine), silence_(silence_of(scenario)), nodes_(nodes), died_(std::move(died)) {
  if (scenario.stragglers.empty() && scenario.faults.empty()) return;
  for (int node = 0; node < count; ++node) {
    victims_.push_back({life_of(scenario, node), StandingStill(scenario, node, time_factors),
                        is_stopped(scenario, node)});
  }
}

void NodeFaults::start(Instant time) {
  origin_ = engine_.now() - time;
  for (std::size_t index = 0; index < victims_.size(); ++index) {
    Victim& victim = victims_[index];
    victim.pauses.begin_at(time);
    if (Instant{} + victim.life.joins_at > time) {
      nodes_[index]->stop(Resource::straggling);
      schedule(index, What::join, Instant{} + victim.life.joins_at);
    }
    if (Instant{} + victim.life.dies_at > time) {
      schedule(index, What::death, Instant{} + victim.life.dies_at);
    }
    if (const auto look = victim.pauses.next_look()) schedule(index, What::pause, *look);
  }
}

void NodeFaults::schedule(std::size_t index, What what, Instant at) {
  engine_.schedule(at + origin_, {this, index * kNodeEvents + static_cast<std::uint64_t>(what)});
  ++victims_[index].scheduled;
  count_idle(index);
}

void NodeFaults::count_idle(std::size_t index) {
  Victim& victim = victims_[index];
  const std::size_t to_pause = victim.pauses.next_look() && !victim.pauses.now() ? 1 : 0;
  idle_ -= victim.idle;
  victim.idle = victim.over ? victim.scheduled : std::min(to_pause, victim.scheduled);
  idle_ += victim.idle;
}

void NodeFaults::finished(NodeId node) {
  if (index_of(node) >= victims_.size()) return;
  victims_[index_of(node)].over = true;
  count_idle(index_of(node));
}

void NodeFaults::wake(Instant now, std::uint64_t token) {
  const std::size_t index = token / kNodeEvents;
  Victim& victim = victims_[index];
  --victim.scheduled;
  count_idle(index);
  if (victim.over) return;
  switch (static_cast<What>(token % kNodeEvents)) {
    case What::join:
      return nodes_[index]->go_on();
    case What::death:
      return end(index, death_at(victim.life.dies_at));
    case What::pause:
      return look(index, Instant{} + (now - Instant{} - origin_));
    case What::silence:
      if (victim.pauses.now() && now - victim.stands_since - origin_ >= silence_) {
        end(index, silent_for(silence_));
      }
  }
}

void NodeFaults::end(std::size_t index, const std::string& why) {
  victims_[index].over = true;
  count_idle(index);
  nodes_[index]->die();
  died_(NodeId(static_cast<std::uint32_t>(index)), why);
}

void NodeFaults::look(std::size_t index, Instant now) {
  Victim& victim = victims_[index];
  const bool stood = victim.pauses.now();
  const bool stands = victim.pauses.look(now);
  if (stood && !stands) nodes_[index]->go_on();
  if (stands && !stood) {
    nodes_[index]->stop(Resource::straggling);
    victim.stands_since = now;
    if (victim.is_stopped) schedule(index, What::silence, now + silence_);
  }
  if (const auto next = victim.pauses.next_look()) schedule(index, What::pause, *next);
}

}  // namespace foretrain::sim
