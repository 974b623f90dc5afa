// Closed forms of waiting, of staleness, of a server's port, compared with simulations.
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

StragglerSpec exponential() {
  StragglerSpec spec;
  spec.distribution = "exponential";
  return spec;
}

StragglerSpec pareto(double shape) {
  StragglerSpec spec;
  spec.distribution = "pareto";
  spec.shape = shape;
  return spec;
}

Record simulate_with(Case scenario_case, const StragglerSpec& straggler) {
  scenario_case.scenario.stragglers = {straggler};
  return simulate(scenario_case);
}

// --- A. Waiting for the slowest (Dutta et al., arXiv 1803.01113) ---

TEST_CASE("closed form A: sync with exponential steps waits H_N on average") {
  const auto [workers, expected] =
      GENERATE(table<int, double>({{1, 1.0}, {2, 1.5}, {4, 2.0833}, {8, 2.7179}}));
  CAPTURE(workers);
  const std::int64_t steps = 320'000 / workers;
  const Record record = simulate_with(star_case("sync", workers, steps, 1_s), exponential());
  CHECK(record.time.seconds() / static_cast<double>(steps) == Approx(expected).epsilon(0.01));
}

TEST_CASE("closed form A: a constant shift adds itself") {
  StragglerSpec shifted;
  shifted.distribution = "shifted_exponential";
  shifted.shift = 0.5;
  const Record record = simulate_with(star_case("sync", 8, 40'000, 1_s), shifted);
  CHECK(record.time.seconds() / 40'000 == Approx(0.5 + 0.5 * 2.7179).epsilon(0.01));
}

TEST_CASE("closed form A: sync with Pareto steps waits as order statistics say") {
  // With scale 1 and shape 2.5 the mean of the largest of 8 is 3.4727; ours has mean 1, so scale
  // 0.6.
  const Record record = simulate_with(star_case("sync", 8, 100'000, 1_s), pareto(2.5));
  CHECK(record.time.seconds() / 100'000 == Approx(0.6 * 3.4727).epsilon(0.01));
}

TEST_CASE("closed form A: async computes N gradients per mean step, for any distribution") {
  const StragglerSpec spec = GENERATE(exponential(), pareto(2.5));
  const Record record = simulate_with(star_case("async", 8, 20'000, 1_s), spec);
  CHECK(static_cast<double>(record.gradients) / record.time.seconds() == Approx(8).epsilon(0.01));
}

TEST_CASE("closed form A: async is N H_N / N times as fast as sync on exponential steps") {
  const Record async = simulate_with(star_case("async", 8, 40'000, 1_s), exponential());
  const Record sync = simulate_with(star_case("sync", 8, 40'000, 1_s), exponential());
  CHECK(sync.time.seconds() / async.time.seconds() == Approx(2.7179).epsilon(0.01));
}

// --- B. Staleness of async ---

std::map<std::int64_t, double> staleness_shares(const Record& record) {
  std::map<std::int64_t, double> shares;
  double counted = 0;
  for (const StepRow& row : record.steps) {
    if (row.report.step == Step{0}) continue;  // its read is older than every update
    ++shares[row.report.staleness];
    ++counted;
  }
  for (auto& [staleness, share] : shares) share /= counted;
  return shares;
}

double mean_staleness(const Record& record) {
  double mean = 0;
  for (const auto& [staleness, share] : staleness_shares(record)) {
    mean += static_cast<double>(staleness) * share;
  }
  return mean;
}

TEST_CASE("closed form B: identical deterministic workers see a staleness of exactly N - 1") {
  const int workers = GENERATE(1, 2, 3, 8, 16);
  CAPTURE(workers);
  const Record record = simulate(star_case("async", workers, 50, 1_s));
  const auto shares = staleness_shares(record);
  REQUIRE(shares.size() == 1);
  CHECK(shares.begin()->first == workers - 1);
}

TEST_CASE("closed form B: the mean staleness is N - 1 for any distribution") {
  const StragglerSpec spec = GENERATE(exponential(), pareto(2.5));
  const Record record = simulate_with(star_case("async", 8, 20'000, 1_s), spec);
  CHECK(mean_staleness(record) == Approx(7).epsilon(0.01));
}

TEST_CASE("closed form B: on exponential steps staleness is geometric") {
  const Record record = simulate_with(star_case("async", 8, 150'000, 1_s), exponential());
  auto shares = staleness_shares(record);
  for (int k = 0; k < 6; ++k) {
    CAPTURE(k);
    CHECK(shares[k] == Approx(std::pow(1 - 1.0 / 8, k) / 8).epsilon(0.01));
  }
  CHECK(mean_staleness(record) == Approx(7).epsilon(0.01));
}

// --- E. A star with one shard ---

TEST_CASE("closed form E: a sync step is C + 2 N S / B + 4 a, exactly") {
  const int workers = GENERATE(1, 2, 5, 8);
  CAPTURE(workers);
  Case scenario_case = star_case("sync", workers, 100, 20_ms);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(1e-3);
  scenario_case.scenario.cluster.hosts[0].latency = 30_us;
  const Record record = simulate(scenario_case);
  const Duration step = 20_ms + 2_ms * workers + 120_us;
  REQUIRE(record.steps.size() == static_cast<std::size_t>(100 * workers));
  // Completions are rounded up to a nanosecond, two per step.
  for (const StepRow& row : record.steps) {
    const Phases& p = row.report.phases;
    const Duration took = p.compute + p.push + p.wait + p.apply + p.pull;
    CHECK(std::abs((took - step).ns) <= 2);
  }
}

TEST_CASE("closed form E: random compute staggers the pushes, so a sync step is shorter") {
  Case scenario_case = star_case("sync", 8, 40'000, 1_s);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(0.05);
  const Record record = simulate_with(scenario_case, exponential());
  CHECK(record.time.seconds() / 40'000 == Approx(3.169).epsilon(0.01));
}

// Gradients/s of a closed loop: n workers think for Z on average, then pass two shared stations,
// the server's two directions, of s each. Shared ports are insensitive to the distribution, so mean
// value analysis holds for messages of one size: R = s (1 + Q), X = n / (Z + 2 R), Q = X R.
double two_port_rate(int workers, double think_s, double service_s) {
  double rate = 0;
  double queue = 0;
  for (int n = 1; n <= workers; ++n) {
    const double response_s = service_s * (1 + queue);
    rate = n / (think_s + 2 * response_s);
    queue = rate * response_s;
  }
  return rate;
}

TEST_CASE("closed form E: the server's port bounds the updates to B / S a second") {
  const int workers = GENERATE(2, 8, 32);
  CAPTURE(workers);
  Case scenario_case = star_case("async", workers, 80'000 / workers, 40_ms);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(10e-3);
  const Record record = simulate_with(scenario_case, exponential());
  const double rate = static_cast<double>(record.updates) / record.time.seconds();
  CHECK(rate < 100);
  CHECK(rate == Approx(two_port_rate(workers, 40e-3, 10e-3)).epsilon(0.01));
}

TEST_CASE("closed form E: each of N workers gets the lesser of its rate and its share") {
  // Eight workers at 1/4 of the server's rate: the server's port is the bottleneck, not theirs.
  Case scenario_case = star_case("sync", 8, 20, 1_ms);
  auto& hosts = scenario_case.scenario.cluster.hosts;
  hosts[0].count = 8;
  hosts.push_back(hosts[0]);
  hosts[1].name = "server";
  hosts[1].count = 1;
  const double share = GENERATE(0.25, 0.0625);
  CAPTURE(share);
  hosts[0].nic = {share * rate_for(1e-3).value};
  hosts[1].nic = rate_for(1e-3);
  const double message_s = 1e-3 / std::min(share, 1.0 / 8);
  CHECK(mean_step_s(simulate(scenario_case)) == Approx(1e-3 + 2 * message_s).epsilon(1e-6));
}

TEST_CASE("closed form E: k even shards carry k times as much") {
  const int shards = GENERATE(1, 2, 5);
  CAPTURE(shards);
  Case scenario_case = star_case("sync", 10, 50, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.servers = shards;
  scenario.cluster.hosts[0].count = 10 + shards;
  scenario.cluster.hosts[0].nic = rate_for(1e-3);
  // One message per worker and shard: 7,850 is divisible by 1, 2 and 5.
  const double bytes = static_cast<double>(message_size().value - kHeaderSize.value) / shards +
                       static_cast<double>(kHeaderSize.value);
  const double message_s = 1e-3 * bytes / static_cast<double>(message_size().value);
  CHECK(mean_step_s(simulate(scenario_case)) == Approx(20e-3 + 2 * 10 * message_s).epsilon(1e-6));
}

// Leaves of four hosts: four workers on one, three and the server on the other. All seven share the
// server's port, B; the first four also pass the uplink of their leaf, U = 4 B / oversubscription.
TEST_CASE("closed form E: over a leaf's uplink a sync step is C + 2 max(7 / B and 4 / U) S") {
  const auto [oversubscription, latency] =
      GENERATE(table<double, Duration>({{1, 0_us}, {4, 0_us}, {8, 5_us}, {16, 5_us}}));
  CAPTURE(oversubscription);
  Case scenario_case = star_case("sync", 7, 20, 20_ms);
  ClusterSpec& cluster = scenario_case.scenario.cluster;
  cluster.hosts[0].nic = rate_for(1e-3);
  cluster.hosts[0].latency = 30_us;
  cluster.topology = "leaf_spine";
  cluster.leaf_spine = {4, 1, oversubscription, latency};
  const double message_s = 1e-3 * std::max(7.0, oversubscription);
  // If the uplink is the bottleneck, workers beside the server are always back before the others.
  const double way_s = 2 * (30e-6 + latency.seconds());
  Duration took;
  for (const StepRow& row : simulate(scenario_case).steps) {
    const Phases& p = row.report.phases;
    if (row.worker == 0) took += p.compute + p.push + p.wait + p.apply + p.pull;
  }
  CHECK(took.seconds() / 20 == Approx(20e-3 + 2 * (message_s + way_s)).margin(1e-8));
}

// A ring of N hosts: 2 (N - 1) rounds of messages with 1/N of the parameters.
TEST_CASE("closed form E: a ring takes 2 (N - 1) a + 2 (N - 1) / N S / B") {
  const int workers = GENERATE(2, 5, 10, 25);
  CAPTURE(workers);
  Case scenario_case = star_case("all_reduce", workers, 20, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].count = workers;
  scenario.cluster.hosts[0].nic = rate_for(10e-3);
  scenario.cluster.hosts[0].latency = 30_us;
  const double parameters = static_cast<double>(message_size().value - kHeaderSize.value);
  const double bytes = parameters / workers + static_cast<double>(kHeaderSize.value);
  const double message_s = 10e-3 * bytes / static_cast<double>(message_size().value);
  const Record record = simulate(scenario_case);
  CHECK(mean_step_s(record) ==
        Approx(20e-3 + 2 * (workers - 1) * (60e-6 + message_s)).margin(2e-9 * workers));
  for (const NodeTotals& node : record.nodes) {
    CHECK(static_cast<double>(node.tx.value) == 20 * 2 * (workers - 1) * bytes);
  }
}

// The root's port has N - 1 gradients of n bytes in, then N - 1 means out, tensor by tensor.
TEST_CASE("closed form E: gather and scatter take 2 (N - 1) S / B and 2 latencies a tensor") {
  const auto [workers, per_tensor] = GENERATE(table<int, bool>({{2, true}, {3, false}, {8, true}}));
  CAPTURE(workers, per_tensor);
  constexpr int kSteps = 20;
  Case scenario_case = star_case("gather_scatter", workers, kSteps, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.bucket_size = {per_tensor ? 0 : 1'000'000};
  scenario.training.overlap = false;
  scenario.cluster.hosts[0].count = workers;
  scenario.cluster.hosts[0].nic = rate_for(10e-3);
  scenario.cluster.hosts[0].latency = 30_us;
  const int tensors = per_tensor ? 2 : 1;  // weights, biases
  const double header = static_cast<double>(kHeaderSize.value);
  const double bytes = static_cast<double>(message_size().value) + (tensors - 1) * header;
  const double way_s = 10e-3 * bytes / static_cast<double>(message_size().value);
  const Record record = simulate(scenario_case);
  CHECK(record.time.seconds() / kSteps ==
        Approx(20e-3 + 2 * (workers - 1) * way_s + tensors * 2 * 60e-6).margin(1e-6));
  for (const NodeTotals& node : record.nodes) {
    const bool root = node.role == "worker0";
    CHECK(static_cast<double>(node.tx.value) == kSteps * bytes * (root ? workers - 1 : 1));
  }
}

TEST_CASE("closed form E: workers that want N T threads of C cores take N T / C times as long") {
  const auto [workers, threads, times] =
      GENERATE(table<int, int, double>({{4, 1, 1}, {2, 4, 1}, {4, 4, 2}, {2, 8, 2}, {4, 8, 4}}));
  CAPTURE(workers, threads);
  Case scenario_case = star_case("gather_scatter", workers, 10, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.threads = threads;
  HostSpec& host = scenario.cluster.hosts[0];
  host.count = 1;
  host.cores = 8;
  scenario.cluster.placement.workers.assign(static_cast<std::size_t>(workers), host.name);
  CHECK(mean_step_s(simulate(scenario_case)) == Approx(times * 20e-3).epsilon(0.01));
}

// The means of the first half leave while the second half arrives.
TEST_CASE("closed form E: non-blocking gathers take (N - 1) S / B, then a bucket's mean") {
  const int workers = GENERATE(2, 3, 8);
  CAPTURE(workers);
  constexpr int kSteps = 20;
  constexpr int kBuckets = 40;
  Case scenario_case = star_case("gather_scatter", workers, kSteps, 20_ms);
  Scenario& scenario = scenario_case.scenario;
  set_option(scenario.training.protocol, "collectives", "together");
  const std::int64_t floats = (message_size().value - kHeaderSize.value) / 4;
  scenario.training.bucket_size = {4 * ((floats + kBuckets - 1) / kBuckets)};
  scenario.training.overlap = false;
  scenario.cluster.hosts[0].count = workers;
  scenario.cluster.hosts[0].nic = rate_for(10e-3);
  scenario.cluster.hosts[0].latency = 30_us;
  const auto size = static_cast<double>(message_size().value);
  const double headers = (kBuckets - 1) * static_cast<double>(kHeaderSize.value);
  const double way_s = (workers - 1) * 10e-3 * (size + headers) / size;
  const Record record = simulate(scenario_case);
  CHECK(record.time.seconds() / kSteps ==
        Approx(20e-3 + way_s * (1 + 1.0 / kBuckets)).epsilon(0.02));
}

TEST_CASE("closed form E: N servers beside N workers move the bytes of a ring") {
  const int nodes = 5;
  const auto bytes_between_hosts = [](const Record& record, int servers) {
    // 1/N of the bytes of a worker and a server on one host stays there.
    double sum = 0;
    for (const NodeTotals& node : record.nodes) sum += static_cast<double>(node.tx.value);
    return servers == 0 ? sum : sum * (servers - 1) / servers;
  };
  Case ring = star_case("all_reduce", nodes, 20, 20_ms);
  ring.scenario.cluster.hosts[0].count = nodes;
  Case beside = star_case("sync", nodes, 20, 20_ms);
  beside.scenario.training.servers = nodes;
  beside.scenario.cluster.hosts[0].count = nodes;
  for (Case* each : {&ring, &beside}) each->scenario.cluster.hosts[0].nic = rate_for(10e-3);
  const Record a = simulate(ring);
  const Record b = simulate(beside);
  CHECK(bytes_between_hosts(a, 0) == bytes_between_hosts(b, nodes));
  // Both use every port fully in both directions; servers need two more latencies.
  CHECK(mean_step_s(a) == Approx(mean_step_s(b)).epsilon(1e-6));
}

TEST_CASE("closed form E: a closed loop of deterministic times runs at min(N/(Z+s), 1/s)") {
  const auto [workers, rate] = GENERATE(table<int, double>({{1, 0.0909}, {8, 0.7273}, {16, 1.0}}));
  CAPTURE(workers);
  Case scenario_case = star_case("async", workers, 500, 10_s);
  auto& hosts = scenario_case.scenario.cluster.hosts;
  hosts[0].count = workers;
  hosts.push_back(hosts[0]);
  hosts[1].name = "server";
  hosts[1].count = 1;
  hosts[1].compute = {};
  hosts[1].machine = "slow server";
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.machines = [](const std::string&) {
    Machine machine;  // only an apply takes time: 1 s
    machine.models["softmax 784x10"] = {};
    machine.apply = {1.0, 0};
    return machine;
  };
  const Record record = simulate(scenario_case, options);
  CHECK(static_cast<double>(record.updates) / record.time.seconds() == Approx(rate).epsilon(0.01));
}

}  // namespace
}  // namespace foretrain::testing
