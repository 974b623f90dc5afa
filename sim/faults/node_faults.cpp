#include "sim/faults/node_faults.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {
namespace {
constexpr int kWhatBits = 3;  // a token: which process of which node, what happens to it
constexpr int kNodeBits = 32;

bool hosts_may_fail(const Scenario& scenario) {
  return std::ranges::any_of(scenario.cluster.hosts,
                             [](const HostSpec& host) { return host.mtbf.ns > 0; });
}
}  // namespace

NodeFaults::NodeFaults(Engine& engine, const Scenario& scenario, int count,
                       const SimNode::Peers& nodes, double time_factors, Died died, Back back)
    : engine_(engine),
      silence_(silence_of(scenario)),
      scenario_(scenario),
      time_factors_(time_factors),
      nodes_(nodes),
      died_(std::move(died)),
      back_(std::move(back)) {
  if (scenario.stragglers.empty() && scenario.faults.empty() && !hosts_may_fail(scenario)) return;
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
    for (const Life::Death& death : victim.life.deaths) {
      if (Instant{} + death.at > time) {
        schedule(index, What::death, Instant{} + death.at);
      } else {
        ++victim.deaths;
      }
    }
    if (const auto look = victim.pauses.next_look()) schedule(index, What::pause, *look);
  }
}

// An instant of the engine, in the training's time.
Instant NodeFaults::time_of(Instant at) const { return Instant{} + (at - Instant{} - origin_); }

bool NodeFaults::is_of_process(What what) { return what == What::pause || what == What::silence; }

void NodeFaults::schedule(std::size_t index, What what, Instant at) {
  const std::uint64_t node = (victims_[index].process << kNodeBits) | index;
  engine_.schedule(at + origin_, {this, (node << kWhatBits) | static_cast<std::uint64_t>(what)});
  ++victims_[index].scheduled;
  if (is_of_process(what)) ++victims_[index].of_process;
  count_idle(index);
}

// Of who is away that it comes back is worth waiting for.
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
      return die(index);
    case What::pause:
      return look(index, time_of(now));
    case What::silence:
      if (victim.pauses.now() && now - victim.stands_since - origin_ >= silence_) {
        end(index, silent_for(silence_));
      }
      return;
    case What::back:
      return come_back(index, time_of(now));
  }
}

void NodeFaults::die(std::size_t index) {
  Victim& victim = victims_[index];
  const Life::Death death = victim.life.deaths[victim.deaths++];
  if (victim.away) return;
  std::optional<Instant> back;
  if (death.restart_after) back = Instant{} + death.at + *death.restart_after;
  leave(index, death_at(death.at), back);
}

bool NodeFaults::takes_part(NodeId node) const {
  const Victim& victim = victims_[index_of(node)];
  return !victim.over && time_of(engine_.now()) > Instant{} + victim.life.joins_at;
}

void NodeFaults::fail(NodeId node, const std::string& why, Instant back) {
  const std::size_t index = index_of(node);
  const Victim& victim = victims_[index];
  const Instant at = time_of(back);
  if (!victim.away) return leave(index, why, at);
  if (at > victim.back_at) plan_return(index, at);
}

// What was to happen to this process happens to nobody now.
void NodeFaults::leave(std::size_t index, const std::string& why, std::optional<Instant> back) {
  Victim& victim = victims_[index];
  ++victim.process;
  victim.outdated += std::exchange(victim.of_process, 0);
  victim.away = back.has_value();
  if (back) plan_return(index, *back);
  end(index, why);
}

void NodeFaults::plan_return(std::size_t index, Instant at) {
  victims_[index].back_at = at;
  schedule(index, What::back, at);
}

// Its host may have failed again since that was planned.
void NodeFaults::come_back(std::size_t index, Instant now) {
  Victim& victim = victims_[index];
  if (now < victim.back_at) return;
  if (!back_(NodeId(static_cast<std::uint32_t>(index))))
    return finished(NodeId(static_cast<std::uint32_t>(index)));
  victim.away = false;
  victim.pauses = StandingStill(scenario_, static_cast<int>(index), time_factors_);
  victim.pauses.begin_at(now);
  if (const auto look = victim.pauses.next_look()) schedule(index, What::pause, *look);
  count_idle(index);
}

void NodeFaults::end(std::size_t index, const std::string& why) {
  const Victim& victim = victims_[index];
  std::optional<Instant> back;
  if (victim.away) back = victim.back_at + origin_;
  victims_[index].over = !victim.away;
  count_idle(index);
  nodes_[index]->die();
  died_(NodeId(static_cast<std::uint32_t>(index)), why, back);
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
