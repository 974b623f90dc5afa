#include "sim/driver/interruptions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain::sim {
namespace {
constexpr std::uint64_t kWhats = 4;  // a token: which worker, what happens to it
}  // namespace

Interruptions::Worker::Worker(const Scenario& scenario, int worker, double speed)
    : life(life_of(scenario, worker)), draws(scenario, worker), pace(speed), next(next_pause()) {}

std::optional<Pause> Interruptions::Worker::next_pause() {
  if (pace == 0) return std::nullopt;
  std::optional<Pause> pause = draws.next();
  if (pause && pace != 1) {
    pause->length = {std::llround(static_cast<double>(pause->length.ns) * pace)};
  }
  return pause;
}

Interruptions::Interruptions(Engine& engine, const Scenario& scenario, int workers,
                             const SimNode::Peers& nodes, double pace, Died died)
    : engine_(engine), nodes_(nodes), died_(std::move(died)) {
  if (scenario.stragglers.empty()) return;
  for (int worker = 0; worker < workers; ++worker) workers_.emplace_back(scenario, worker, pace);
}

void Interruptions::start() {
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
    if (worker.next) schedule(index, What::pause, worker.next->begin);
  }
}

void Interruptions::schedule(std::size_t index, What what, Instant at) {
  engine_.schedule(at + origin_, {this, index * kWhats + static_cast<std::uint64_t>(what)});
  ++workers_[index].scheduled;
  count_idle(index);
}

void Interruptions::count_idle(std::size_t index) {
  Worker& worker = workers_[index];
  const std::size_t to_pause = worker.next && !worker.until ? 1 : 0;
  idle_ -= worker.idle;
  worker.idle = worker.over ? worker.scheduled : std::min(to_pause, worker.scheduled);
  idle_ += worker.idle;
}

void Interruptions::finished(NodeId node) {
  if (index_of(node) >= workers_.size()) return;
  Worker& worker = workers_[index_of(node)];
  worker.over = true;
  count_idle(index_of(node));
}

void Interruptions::wake(Instant now, std::uint64_t token) {
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

// A pause that begins within another only makes it longer.
void Interruptions::look(std::size_t index, Instant now) {
  Worker& worker = workers_[index];
  while (worker.next->begin <= now && (!worker.until || worker.next->begin <= *worker.until)) {
    if (!worker.until) nodes_[index]->stop(Resource::straggling);
    worker.until = std::max(worker.until.value_or(Instant{}), worker.next->end());
    worker.next = worker.next_pause();
  }
  if (worker.until && *worker.until <= now) {
    worker.until.reset();
    nodes_[index]->go_on();
  }
  schedule(index, What::pause, worker.until ? *worker.until : worker.next->begin);
}

}  // namespace foretrain::sim
