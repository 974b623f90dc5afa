#include "sim/driver/attempts.h"

#include "models/protocol/registry.h"
#include "scenarios/faults.h"
#include "scenarios/local_sum.h"

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
  add_hosts();
  listener_.kept = [this](NodeId, std::int64_t cut, Bytes size, Duration took) {
    kept(cut, size, took);
  };
  faults_may_set_back_ =
      prepared.training->begins_again() &&
      std::ranges::any_of(prepared.scenario_case.scenario.faults,
                          [](const FaultSpec& fault) { return fault.restart_after.has_value(); });
  if (may_fail()) {
    listener_.keeping = [this](NodeId id, const Keep& keep) { keeping(id, keep); };
    listener_.sets_back = [this](const std::string& what, Instant back) {
      begin_again(what, back);
    };
  }
  training_ = make({});
}

// Sums of a host's workers are nobody's alone.
void Attempts::add_hosts() {
  const Scenario& scenario = prepared_.scenario_case.scenario;
  if (scenario.cluster.hosts.empty()) return;
  const bool adds_up = gradients_a_push(scenario) > 1;
  for (std::size_t node = 0; node < prepared_.places.size(); ++node) {
    const NodePlace& place = prepared_.places[node];
    const HostSpec& spec = scenario.cluster.hosts[place.spec];
    if (spec.mtbf.ns == 0) continue;
    auto host = std::ranges::find(hosts_, place.host, &FailingHost::host);
    if (host == hosts_.end()) {
      hosts_.push_back({place.host, place.host_name, spec.mtbf, spec.restart_after,
                        Stream(scenario.seed, fmt::format("failure.{}", place.host_name))});
      host = std::prev(hosts_.end());
    }
    const auto id = static_cast<NodeId>(node);
    host->nodes.push_back(id);
    if (adds_up || !may_come_back(*prepared_.training, id)) host->workers_only = false;
  }
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

void Attempts::fail(Instant now, FailingHost& host) {
  if (training_->over() || !failure().empty()) return;
  host.ready_at = now + host.restart_after;
  if (const auto workers = lost_alone(host)) {
    for (const NodeId id : *workers) training_->fail(id, failed_with(host.name), host.ready_at);
    return;
  }
  ++totals_.count;
  if (++in_a_row_ >= kMostInARow) {
    failure_ = fmt::format(
        "its hosts failed {} times before the next checkpoint was kept, so it would never end; "
        "keep states more often",
        in_a_row_);
    return;
  }
  for (const FailingHost& each : hosts_) restarts_at_ = std::max(restarts_at_, each.ready_at);
  end_attempt(now);
}

// The others wait no longer than their limit. That is known now: a run finds it out then.
void Attempts::begin_again(const std::string& what, Instant back) {
  const Instant now = world_.engine.now();
  const Duration limit = prepared_.training->return_limit;
  if (back - now >= limit) {
    failure_ = not_back_within(what, limit);
    return;
  }
  ++totals_.count;
  for (const FailingHost& each : hosts_) restarts_at_ = std::max(restarts_at_, each.ready_at);
  restarts_at_ = std::max(restarts_at_, back);
  end_attempt(now);
}

// All begin again at `restarts_at_`.
void Attempts::end_attempt(Instant now) {
  world_.engine.schedule(restarts_at_, {this, kRestart});
  if (!std::exchange(is_down_, true)) set_back(now);
}

// Those of its workers that have a part still, where the others go on; none: all nodes end.
std::optional<std::vector<NodeId>> Attempts::lost_alone(const FailingHost& host) const {
  if (is_down_ || !host.workers_only) return std::nullopt;
  const Training& training = *prepared_.training;
  std::vector<NodeId> workers;
  auto lost = static_cast<int>(training_->losses());
  for (const NodeId id : host.nodes) {
    if (!training_->takes_part(id)) continue;
    const bool is_there = training_->lost(index_of(id)).empty();
    if (is_there && !may_lose(training, id, lost++)) return std::nullopt;
    workers.push_back(id);
  }
  return workers;
}

void Attempts::set_back(Instant now) {
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
