#include "sim/node/faults.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {
namespace {
constexpr std::uint64_t kWhats = 4;  // a token: which worker, what happens to it
}  // namespace

Faults::Faults(Engine& engine, const Scenario& scenario, int workers, const SimNode::Peers& nodes,
               double time_factors, Died died)
    : engine_(engine), nodes_(nodes), died_(std::move(died)) {
  if (scenario.stragglers.empty()) return;
  for (int worker = 0; worker < workers; ++worker) {
    workers_.push_back({life_of(scenario, worker), StandingStill(scenario, worker, time_factors)});
  }
}

void Faults::start() {
  origin_ = engine_.now() - Instant{};
  for (std::size_t index = 0; index < workers_.size(); ++index) {
    const Worker& worker = workers_[index];
    if (worker.life.joins_at.ns > 0) {
      nodes_[index]->stop(Resource::straggling);
      schedule(index, What::join, Instant{} + worker.life.joins_at);
    }
    if (worker.life.dies_at.ns > 0) {
      schedule(index, What::death, Instant{} + worker.life.dies_at);
    }
    if (const auto look = worker.pauses.next_look()) schedule(index, What::pause, *look);
  }
}

void Faults::schedule(std::size_t index, What what, Instant at) {
  engine_.schedule(at + origin_, {this, index * kWhats + static_cast<std::uint64_t>(what)});
  ++workers_[index].scheduled;
  count_idle(index);
}

void Faults::count_idle(std::size_t index) {
  Worker& worker = workers_[index];
  const std::size_t to_pause = worker.pauses.next_look() && !worker.pauses.now() ? 1 : 0;
  idle_ -= worker.idle;
  worker.idle = worker.over ? worker.scheduled : std::min(to_pause, worker.scheduled);
  idle_ += worker.idle;
}

void Faults::finished(NodeId node) {
  if (index_of(node) >= workers_.size()) return;
  Worker& worker = workers_[index_of(node)];
  worker.over = true;
  count_idle(index_of(node));
}

void Faults::wake(Instant now, std::uint64_t token) {
  const std::size_t index = token / kWhats;
  Worker& worker = workers_[index];
  --worker.scheduled;
  count_idle(index);
  if (worker.over) return;
  switch (static_cast<What>(token % kWhats)) {
    case What::join:
      return nodes_[index]->go_on();
    case What::death:
      worker.over = true;
      count_idle(index);
      nodes_[index]->die();
      return died_(NodeId(static_cast<std::uint32_t>(index)), death_at(worker.life.dies_at));
    case What::pause:
      return look(index, Instant{} + (now - Instant{} - origin_));
  }
}

void Faults::look(std::size_t index, Instant now) {
  StandingStill& pauses = workers_[index].pauses;
  const bool stood = pauses.now();
  const bool stands = pauses.look(now);
  if (stands && !stood) nodes_[index]->stop(Resource::straggling);
  if (stood && !stands) nodes_[index]->go_on();
  schedule(index, What::pause, *pauses.next_look());
}

}  // namespace foretrain::sim
