#include "sim/driver/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace foretrain::sim {

Attempts::Attempts(World& world, const Prepared& prepared, const MachineLookup& machines,
                   const SimTraining::Listener& listener, std::span<const InputRow> recorded,
                   Owner owner)
    : world_(world),
      prepared_(prepared),
      machines_(machines),
      listener_(listener),
      recorded_(recorded),
      owner_(std::move(owner)),
      checkpoints_(static_cast<std::size_t>(prepared.training->nodes())) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  for (const NodePlace& place : prepared.places) {
    if (scenario.cluster.hosts.empty()) break;
    const HostSpec& spec = scenario.cluster.hosts[place.spec];
    const bool known = std::ranges::find(hosts_, place.host, &FailingHost::host) != hosts_.end();
    if (spec.mtbf.ns == 0 || known) continue;
    hosts_.push_back({place.host, spec.mtbf, spec.restart_after,
                      Stream(scenario.seed, fmt::format("failure.{}", place.host_name))});
  }
  listener_.kept = [this](NodeId, std::int64_t cut, Bytes size, Duration took) {
    kept(cut, size, took);
  };
  if (may_fail()) {
    listener_.keeping = [this](NodeId id, const Keep& keep) { keeping(id, keep); };
  }
  training_ = make({});
}

std::unique_ptr<SimTraining> Attempts::make(const Beginning& beginning) {
  return std::make_unique<SimTraining>(world_, prepared_, machines_, listener_,
                                       std::vector<NodePlace>{}, recorded_, beginning);
}

void Attempts::start() {
  started_ = true;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const Duration first = draw_interval(hosts_[i].mtbf, hosts_[i].stream);
    world_.engine.schedule(Instant{} + first, {this, i + 1});
  }
  training_->start();
}

void Attempts::keeping(NodeId id, const Keep& keep) {
  KeptStates& states = under_way_[keep.cut];
  states.nodes.resize(static_cast<std::size_t>(prepared_.training->nodes()));
  states.nodes[index_of(id)] = {keep.state(), keep.reported.value, keep.gradients};
  states.evaluated = std::max(states.evaluated, keep.evaluated);
}

void Attempts::kept(std::int64_t cut, Bytes size, Duration took) {
  if (!checkpoints_.add(cut, size, took) || !may_fail()) return;
  newest_ = std::move(under_way_[cut]);
  newest_at_ = world_.engine.now();
  in_a_row_ = 0;
  under_way_.erase(under_way_.begin(), std::next(under_way_.find(cut)));
}

void Attempts::wake(Instant now, std::uint64_t token) {
  if (token == kRestart) return restart(now);
  FailingHost& host = hosts_[token - 1];
  world_.engine.schedule(now + draw_interval(host.mtbf, host.stream), {this, token});
  fail(now, host);
}

void Attempts::fail(Instant now, const FailingHost& host) {
  if (training_->over() || !failure().empty()) return;
  ++totals_.count;
  if (++in_a_row_ >= kMostInARow) {
    failure_ = fmt::format(
        "its hosts failed {} times before the next checkpoint was kept, so it would never end; "
        "keep states more often",
        in_a_row_);
    return;
  }
  restarts_at_ = std::max(restarts_at_, now + host.restart_after);
  world_.engine.schedule(restarts_at_, {this, kRestart});
  if (std::exchange(is_down_, true)) return;
  down_since_ = now;
  totals_.lost += now - std::max(began_, newest_at_);
  owner_.ends();
  std::vector<std::int64_t> reported(static_cast<std::size_t>(prepared_.training->nodes()));
  for (std::size_t i = 0; i < newest_.nodes.size(); ++i) reported[i] = newest_.nodes[i].reported;
  totals_.lost_steps += owner_.set_back(reported, newest_.evaluated);
  checkpoints_.give_up();
  under_way_.clear();
  gone_.push_back(std::move(training_));
  training_ = make({restarts_at_, newest_.nodes.empty() ? nullptr : &newest_});
  gone_.back()->end(*training_);
}

// Unless another failure has come meanwhile.
void Attempts::restart(Instant now) {
  if (now < restarts_at_ || !std::exchange(is_down_, false)) return;
  totals_.down += now - down_since_;
  began_ = now;
  for (Host& host : world_.hosts) host.disk_free = now;  // what was to be written is gone
  training_->start();
}

}  // namespace foretrain::sim
