// A training on better hardware: what may take longer on it, what may not.
#include "models/protocol/registry.h"
#include "scenarios/node_counts.h"
#include "scenarios/placement.h"
#include "tests/support/cases.h"
#include "tests/support/random_scenario.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

namespace foretrain::testing {
namespace {

constexpr double kTold = 1.02;

/// A resource, twice as good.
struct Better {
  const char* name;
  void (*improve)(Scenario& scenario, Machine& machine);
};

void faster_network(Scenario& scenario, Machine& /*machine*/) {
  for (HostSpec& host : scenario.cluster.hosts) host.nic.value *= 2;
  for (LinkSpec& link : scenario.cluster.links) link.rate.value *= 2;
}

void faster_compute(Scenario& scenario, Machine& machine) {
  for (HostSpec& host : scenario.cluster.hosts) {
    if (host.compute) host.compute->ns /= 2;
    host.roofline.gflops *= 2;
    host.roofline.memory_bandwidth.value *= 2;
    host.roofline.overhead.ns /= 2;
  }
  for (auto& [name, cost] : machine.models) {
    for (AffineCost* each : {&cost.gradient, &cost.evaluate, &cost.apply}) {
      each->overhead_s /= 2;
      each->per_item_s /= 2;
    }
  }
  machine.apply.overhead_s /= 2;
  machine.apply.per_item_s /= 2;
}

void lower_latency(Scenario& scenario, Machine& /*machine*/) {
  for (HostSpec& host : scenario.cluster.hosts) host.latency.ns /= 2;
  for (LinkSpec& link : scenario.cluster.links) link.latency.ns /= 2;
  scenario.cluster.leaf_spine.latency.ns /= 2;
}

void more_cores(Scenario& scenario, Machine& machine) {
  for (HostSpec& host : scenario.cluster.hosts) host.cores *= 2;
  machine.cores *= 2;
}

constexpr std::array kBetter{Better{"network", faster_network}, Better{"compute", faster_compute},
                             Better{"latency", lower_latency}, Better{"cores", more_cores}};

double time_of(Case scenario_case, const Better* better) {
  const Need need = need_of_simulation(scenario_case.scenario);
  Machine machine = made_up_machine(prepare(scenario_case, need).model_key);
  if (better != nullptr) better->improve(scenario_case.scenario, machine);
  const Prepared prepared = prepare(scenario_case, need);
  sim::SimulateOptions options;
  options.machines = [&](const std::string&) { return machine; };
  options.usage_interval = {};
  const Record record = sim::simulate(prepared, options);
  REQUIRE(record.outcome == Outcome::done);
  return record.time.seconds();
}

/// Nobody waits for a resource that somebody else has, nor for a moment that is fixed in time:
/// every node on a host of its own, one message at a time through a port, the order of gradients
/// given.
bool uncontested(const Scenario& s) {
  const TrainingSpec& training = s.training;
  const Protocol& protocol = protocol_called(training.strategy);
  const int workers = node_counts(s).workers;
  const bool in_step = protocol.synchronous &&
                       protocol.gradients_an_update(training.protocol, workers) % workers == 0;
  if (!in_step || training.overlap || training.threads > 1) return false;
  if (protocol.servers && training.servers > 1) return false;
  if (!s.neighbours.empty() || s.framework != FrameworkSpec{} || s.dataset.input.costs())
    return false;
  if (std::ranges::any_of(s.stragglers, [](const auto& each) { return each.pause.ns > 0; })) {
    return false;
  }
  const ClusterSpec& cluster = s.cluster;
  if (cluster.hosts.empty() || cluster.topology != "star" || cluster.tcp) return false;
  if (std::ranges::any_of(cluster.hosts, [](const auto& h) { return h.burst.value > 0; }))
    return false;
  std::set<std::size_t> hosts;
  for (const NodePlace& place : place_nodes(s)) {
    if (!hosts.insert(place.host).second) return false;
  }
  return true;
}

/// How often each of kBetter made a training slower that had shared something, and how much.
struct Slower {
  std::array<int, kBetter.size()> times{};
  double most = 1;
};

// Where something is contested, better hardware may be slower. Work that comes earlier takes a
// core, a port or a link from work that others wait for, as Graham (1966) found of parallel
// machines; a token bucket has saved less; a pause hits another step; gradients come in another
// order, and the one that ends the training is a slow worker's. Where nothing is, it may not.
TEST_CASE("faster resources: what nobody contests ends no later, the rest hardly ever") {
  const RandomScenarios scenarios;
  Slower slower;
  int alone = 0;
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    Stream draw(seed, "faster");
    Case scenario_case = scenarios.draw(draw);
    scenario_case.scenario.faults.clear();
    const bool free = uncontested(scenario_case.scenario);
    if (!free && seed > 600) continue;
    CAPTURE(seed);
    const double before = time_of(scenario_case, nullptr);
    if (free) ++alone;
    for (std::size_t i = 0; i < kBetter.size(); ++i) {
      const double ratio = time_of(scenario_case, &kBetter[i]) / before;
      CAPTURE(kBetter[i].name);
      if (free) CHECK(ratio < kTold);
      if (ratio > kTold) ++slower.times[i];
      slower.most = std::max(slower.most, ratio);
    }
  }
  CHECK(alone > 5);
  CAPTURE(slower.times);
  CHECK(std::ranges::max(slower.times) <= 24);  // of 600
  CHECK(slower.most < 1.5);
}

}  // namespace
}  // namespace foretrain::testing
