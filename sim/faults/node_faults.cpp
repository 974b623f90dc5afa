#include "sim/faults/node_faults.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {
namespace {
constexpr int kWhatBits = 2;  // a token: process number, node, kind of event
constexpr int kNodeBits = 32;

NodeId id_of(std::size_t index) { return NodeId{static_cast<std::uint32_t>(index)}; }

bool hosts_may_fail(const Scenario& scenario) {
  return std::ranges::any_of(scenario.cluster.hosts,
                             [](const HostSpec& host) { return host.mtbf.ns > 0; });
}
}  // namespace

NodeFaults::NodeFaults(Engine& engine, const Scenario& scenario, int count,
                       const SimNode::Peers& nodes, double time_factors, Due due, Silent silent)
    : engine_(engine),
      silence_(silence_of(scenario)),
      scenario_(scenario),
      time_factors_(time_factors),
      nodes_(nodes),
      due_(std::move(due)),
      silent_(std::move(silent)) {
  if (scenario.stragglers.empty() && scenario.faults.empty() && !hosts_may_fail(scenario)) return;
  for (int node = 0; node < count; ++node) {
    victims_.push_back({fault_schedule_of(scenario, node),
                        StandingStill(scenario, node, time_factors), is_stopped(scenario, node)});
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
    for (const FaultSchedule::Death& death : victim.life.deaths) {
      if (Instant{} + death.at > time) {
        schedule(index, What::death, Instant{} + death.at);
      } else {
        ++victim.deaths;
      }
    }
    if (const auto look = victim.pauses.next_look()) schedule(index, What::pause, *look);
  }
}

// Converts an instant of the engine to the training's time.
Instant NodeFaults::time_of(Instant at) const { return Instant{} + (at - Instant{} - origin_); }

bool NodeFaults::is_of_process(What what) { return what == What::pause || what == What::silence; }

void NodeFaults::schedule(std::size_t index, What what, Instant at) {
  const std::uint64_t node = (victims_[index].process << kNodeBits) | index;
  engine_.schedule(at + origin_, {this, (node << kWhatBits) | static_cast<std::uint64_t>(what)});
  ++victims_[index].scheduled;
  if (is_of_process(what)) ++victims_[index].of_process;
  count_idle(index);
}

// The return of an absent node is worth waiting for, so its events are not idle.
void NodeFaults::count_idle(std::size_t index) {
  Victim& victim = victims_[index];
  const bool waits = victim.pauses.next_look() && !victim.pauses.now();
  const std::size_t to_pause = waits && !victim.away ? 1 : 0;
  idle_ -= victim.idle;
  victim.idle =
      victim.over ? victim.scheduled : victim.outdated + std::min(to_pause, victim.of_process);
  idle_ += victim.idle;
}

void NodeFaults::finished(NodeId node) {
  if (index_of(node) >= victims_.size()) return;
  victims_[index_of(node)].over = true;
  count_idle(index_of(node));
}

void NodeFaults::wake(Instant now, std::uint64_t token) {
  const auto what = static_cast<What>(token & ((1U << kWhatBits) - 1));
  const auto index = static_cast<std::size_t>(static_cast<std::uint32_t>(token >> kWhatBits));
  const std::uint64_t process = token >> (kWhatBits + kNodeBits);
  Victim& victim = victims_[index];
  const bool outdated = is_of_process(what) && process != victim.process;
  --victim.scheduled;
  if (outdated) {
    --victim.outdated;
  } else if (is_of_process(what)) {
    --victim.of_process;
  }
  count_idle(index);
  if (!victim.over && !outdated) happen(index, what, now);
}

void NodeFaults::happen(std::size_t index, What what, Instant now) {
  Victim& victim = victims_[index];
  switch (what) {
    case What::join:
      return nodes_[index]->go_on();
    case What::death:
      return due_(id_of(index), victim.life.deaths[victim.deaths++]);
    case What::pause:
      return look(index, time_of(now));
    case What::silence:
      if (victim.pauses.now() && now - victim.stands_since - origin_ >= silence_) {
        silent_(id_of(index), silent_for(silence_));
      }
  }
}

bool NodeFaults::takes_part(NodeId node) const {
  const Victim& victim = victims_[index_of(node)];
  return !victim.over && time_of(engine_.now()) > Instant{} + victim.life.joins_at;
}

// Events that were scheduled for this process become void.
void NodeFaults::gone(NodeId node, bool returns) {
  if (index_of(node) >= victims_.size()) return;
  Victim& victim = victims_[index_of(node)];
  ++victim.process;
  victim.outdated += std::exchange(victim.of_process, 0);
  victim.away = returns;
  victim.over = !returns;
  count_idle(index_of(node));
}

void NodeFaults::back(NodeId node) {
  const std::size_t index = index_of(node);
  if (index >= victims_.size()) return;
  Victim& victim = victims_[index];
  victim.away = false;
  victim.pauses = StandingStill(scenario_, static_cast<int>(index), time_factors_);
  victim.pauses.begin_at(time_of(engine_.now()));
  if (const auto look = victim.pauses.next_look()) schedule(index, What::pause, *look);
  count_idle(index);
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
