#include "sim/driver/attempts.h"

#include "models/protocol/registry.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/gradient_counts.h"

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
    listener_.keeping = [this](NodeId id, const SaveState& keep) { keeping(id, keep); };
    listener_.sets_back = [this] { set_back(); };
    listener_.all_left = [this] { training_->start(); };
    listener_.ready = [this] { ready(); };
  }
  training_ = make({});
}

// Workers of a host that push one common sum cannot be lost one by one.
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

void Attempts::keeping(NodeId id, const SaveState& keep) {
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
  if (token == kRestart) return ready();
  FailingHost& host = hosts_[token - 1];
  world_.engine.schedule(now + draw_interval(host.mtbf, host.stream), {this, token});
  fail(now, host);
}

void Attempts::fail(Instant now, FailingHost& host) {
  if (training_->over() || !failure().empty()) return;
  host.ready_at = now + host.restart_after;
  const std::int64_t before = totals_.count;
  if (is_down_) {
    ++totals_.count;
  } else {
    std::vector<NodeId> nodes = host.nodes;
    if (host.workers_only)
      std::erase_if(nodes, [&](NodeId id) { return !training_->takes_part(id); });
    training_->tell(supervision::FaultDue{.nodes = std::move(nodes),
                                          .how = failed_with(host.name),
                                          .restart_after = host.restart_after,
                                          .host = true,
                                          .together = !host.workers_only});
  }
  if (totals_.count == before || ++in_a_row_ < kMostInARow) return;
  failure_ = fmt::format(
      "its hosts failed {} times before the next checkpoint, so it would never end; write "
      "checkpoints more often",
      in_a_row_);
}

void Attempts::set_back() {
  const Instant now = world_.engine.now();
  ++totals_.count;
  is_down_ = true;
  down_since_ = now;
  totals_.lost += now - std::max(began_, newest_at_);
  owner_.ends();
  std::vector<std::int64_t> reported(static_cast<std::size_t>(prepared_.training->nodes()));
  for (std::size_t i = 0; i < newest_.nodes.size(); ++i) reported[i] = newest_.nodes[i].reported;
  totals_.lost_steps += owner_.set_back(reported, newest_.evaluated);
  checkpoints_.give_up();
  under_way_.clear();
  gone_.push_back(std::move(training_));
  training_ = make({newest_.nodes.empty() ? nullptr : &newest_, gone_.back()->supervisor()});
  gone_.back()->end(*training_);
}

Instant Attempts::hosts_ready_at() const {
  Instant at;
  for (const FailingHost& each : hosts_) at = std::max(at, each.ready_at);
  return at;
}

// All nodes are there again; a host may have failed meanwhile.
void Attempts::ready() {
  const Instant now = world_.engine.now();
  if (is_down_ && now < hosts_ready_at()) {
    return world_.engine.schedule(hosts_ready_at(), {this, kRestart});
  }
  if (std::exchange(is_down_, false)) {
    totals_.down += now - down_since_;
    began_ = now;
    for (Host& host : world_.hosts) host.disk_free = now;  // pending writes are gone
  }
  training_->go();
}

}  // namespace foretrain::sim
