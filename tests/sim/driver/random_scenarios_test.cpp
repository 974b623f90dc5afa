// Every random scenario ends or reports why it cannot, without losing a message.
#include "models/protocol/async.h"
#include "models/protocol/message.h"
#include "models/protocol/registry.h"
#include "reports/record/collector.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/placement.h"
#include "sim/network/tcp.h"
#include "tests/scenarios/messages.h"
#include "tests/support/cases.h"
#include "tests/support/random_scenario.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

Record simulate_with_usage(const Case& scenario_case) {
  const Prepared prepared = prepare(scenario_case, need_of_simulation(scenario_case.scenario));
  sim::SimulateOptions options;
  options.machines = [&](const std::string&) { return made_up_machine(prepared.model_key); };
  options.usage_interval = 10_ms;
  return sim::simulate(prepared, options);
}

// A finished training with the facts that the checks need.
struct Played {
  explicit Played(const Case& scenario_case)
      : c(scenario_case), scenario(c.scenario), record(simulate_with_usage(c)) {
    places = place_nodes(scenario);
    take_cores(places, scenario.cluster, made_up_machine().cores);
  }

  [[nodiscard]] bool done() const { return record.outcome == Outcome::done; }
  [[nodiscard]] bool somebody_lost() const {
    return std::ranges::any_of(record.nodes, [](const auto& node) { return !node.lost.empty(); });
  }
  [[nodiscard]] const Protocol& protocol() const {
    return protocol_called(scenario.training.strategy);
  }
  [[nodiscard]] std::int64_t gradients_an_update() const {
    return protocol().gradients_an_update(scenario.training.protocol,
                                          node_counts(scenario).workers);
  }
  /// Whether every gradient counts: none is dropped or under way at the end.
  [[nodiscard]] bool in_step() const {
    return protocol().synchronous && gradients_an_update() % node_counts(scenario).workers == 0;
  }
  /// Whether some workers may be late for a step.
  [[nodiscard]] bool has_backups() const { return protocol().synchronous && !in_step(); }
  /// The time when the last node ended.
  [[nodiscard]] Instant end() const { return record.usage.back().time; }

  const Case& c;
  const Scenario& scenario;
  Record record;
  std::vector<NodePlace> places;
};

Bytes in_flight(const Record& record) {
  Bytes bytes;
  for (const NodeTotals& node : record.nodes) {
    bytes += node.tx - node.rx;
    bytes = bytes - *node.undelivered;
  }
  return bytes;
}

// Sent = read + undelivered + in flight. After the end of all nodes only pushes that nobody waits
// for are in flight; in synchronous trainings there are none.
void check_bytes(const Played& played) {
  const Bytes left = in_flight(played.record);
  CHECK(left.value >= 0);
  if (!played.done() || played.somebody_lost()) return;
  for (const NodeTotals& node : played.record.nodes) CHECK(node.undelivered == Bytes{});
  if (played.in_step()) CHECK(left == Bytes{});
}

void check_counts(const Played& played) {
  const Record& record = played.record;
  const TrainingSpec& training = played.scenario.training;
  const std::int64_t workers = node_counts(played.scenario).workers;
  if (!played.done()) return;
  CHECK(record.time.ns > 0);
  CHECK(std::ranges::count_if(record.evals, &EvalReport::final) == 1);
  const std::int64_t gradients = played.gradients_an_update();
  if (played.protocol().synchronous) {
    CHECK(record.updates == (workers * training.steps + gradients - 1) / gradients);
  }
  if (played.in_step()) {
    CHECK(record.gradients == workers * training.steps);
    CHECK(record.dropped == 0);
    CHECK(std::ssize(record.steps) == workers * training.steps);
  } else if (played.has_backups()) {
    CHECK(record.gradients == record.updates * gradients);
  } else if (!played.somebody_lost() || training.protocol.word(kQuota) != kOwnQuota) {
    CHECK(record.updates == workers * training.steps);
    CHECK(record.gradients == record.updates);
  }
}

// Checks that a worker's steps are in order, with phases >= 0 that add up to the step.
void check_steps(const Played& played) {
  const Record& record = played.record;
  std::map<int, std::pair<std::int64_t, Instant>> next;  // by worker: step, earliest start
  Instant before;
  for (const StepRow& row : record.steps) {
    const StepReport& step = row.report;
    for (const auto& [name, of] : kPhases<Duration>) REQUIRE((step.phases.*of).ns >= 0);
    const Instant end = step.start + length_of(step.phases);
    auto& [number, ready] = next[row.worker];
    CAPTURE(row.worker, number);
    REQUIRE(step.step == Step{number});
    // If no gradients are dropped, a step begins at the end of the previous one.
    if (played.in_step() && number > 0) REQUIRE(step.start == ready);
    REQUIRE(step.start >= ready);
    REQUIRE(step.staleness >= 0);
    REQUIRE(end >= before);
    REQUIRE(end <= played.end());
    std::tie(number, ready, before) = std::tuple(number + 1, end, end);
  }
  for (std::size_t i = 1; i < record.evals.size(); ++i) {
    CHECK(record.evals[i].time >= record.evals[i - 1].time + record.evals[i - 1].took);
    CHECK(record.evals[i].version >= record.evals[i - 1].version);
  }
}

// Checks that usage rows are in time order and add up to the totals.
void check_usage(const Played& played) {
  const Record& record = played.record;
  std::vector<UsageRow> sums(record.nodes.size());
  for (const UsageRow& row : record.usage) {
    UsageRow& sum = sums.at(static_cast<std::size_t>(row.node));
    REQUIRE(row.time >= sum.time);
    REQUIRE(row.rss >= sum.rss);
    REQUIRE(std::min({row.cpu_user_s, row.cpu_system_s}) >= 0);
    REQUIRE(std::min(row.tx, row.rx) >= Bytes{});
    sum.time = row.time;
    sum.rss = row.rss;
    sum.tx += row.tx;
    sum.rx += row.rx;
    sum.cpu_user_s += row.cpu_user_s + row.cpu_system_s;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    CHECK(sums[i].tx == record.nodes[i].tx);
    CHECK(sums[i].rx == record.nodes[i].rx);
    CHECK(sums[i].cpu_user_s == Approx(record.nodes[i].cpu_s).margin(1e-9));
    const auto threads = static_cast<double>(played.places[i].cores.size() + 1);  // and a loop
    const double burned = played.scenario.framework.waiting_cores;
    const double parsing = played.scenario.dataset.input.parse.ns > 0 ? 1 : 0;
    CHECK(record.nodes[i].cpu_s <= (threads + burned + parsing) * played.end().seconds() + 1e-9);
  }
}

// Checks that no interval exceeds the rate of a host's interface. Bytes are counted continuously,
// so this also holds within a message.
void check_interfaces(const Played& played) {
  const ClusterSpec& cluster = played.scenario.cluster;
  if (cluster.hosts.empty() || cluster.topology == "links") return;
  std::map<int, Instant> before;
  for (const UsageRow& row : played.record.usage) {
    const HostSpec& host = cluster.hosts[played.places[static_cast<std::size_t>(row.node)].spec];
    const double seconds = (row.time - before[row.node]).seconds();
    before[row.node] = row.time;
    // The end of a token bucket's burst is rounded to a nanosecond, which is five bytes; a bucket
    // that fills up between two large messages ends two bursts in an interval.
    const double rounding = 2 + (host.burst.value > 0 ? 2 * sim::kBurstRate * 1e-9 : 0);
    const double most =
        (host.nic.value * seconds + static_cast<double>(host.burst.value)) * (1 + 1e-9) + rounding;
    CAPTURE(row.node, row.time.ns);
    REQUIRE(row.nic_tx.value >= 0);
    REQUIRE(row.nic_rx.value >= 0);
    CHECK(static_cast<double>(row.nic_tx.value) <= most);
    CHECK(static_cast<double>(row.nic_rx.value) <= most);
  }
  if (cluster.hosts.size() > 1 || cluster.hosts[0].count > 1) return;
  for (const NodeTotals& node : played.record.nodes) CHECK(node.nic_tx == Bytes{});
}

// The gradient time of `worker`, if its host and stragglers determine it; else 0.
double fixed_gradient_s(const Played& played, std::size_t worker) {
  const auto& hosts = played.scenario.cluster.hosts;
  if (hosts.empty() || played.scenario.model.profiled()) return 0;
  if (played.scenario.training.threads > 1) return 0;  // a small gradient uses one thread
  if (played.scenario.framework != FrameworkSpec{}) return 0;
  if (played.scenario.dataset.input.parse.ns > 0) return 0;
  if (played.scenario.training.compression.wanted()) return 0;  // encoding takes time
  const HostSpec& host = hosts[played.places[worker].spec];
  if (!host.compute || host.send != AffineCost{} || host.receive != AffineCost{}) return 0;
  double factor = 1;
  for (const StragglerSpec& spec : played.scenario.stragglers) {
    if (!spec.distribution.empty() || !spec.trace.empty()) return 0;
    const auto& whom = spec.workers;
    if (whom.empty() || std::ranges::find(whom, worker) != whom.end()) factor *= spec.slowdown;
  }
  return factor * host.compute->seconds() * played.scenario.training.accumulate;
}

// Work done = work requested: a worker on which only gradients of a fixed time take CPU time has
// used the time of its gradients. At the end one may be unfinished.
int check_work(const Played& played) {
  int checked = 0;
  for (std::size_t worker = 0; worker < played.record.nodes.size(); ++worker) {
    if (worker >= static_cast<std::size_t>(node_counts(played.scenario).workers)) break;
    const double gradient_s = fixed_gradient_s(played, worker);
    if (place_nodes(played.scenario)[worker].device) continue;  // its time is not on a core
    if (gradient_s == 0 || !played.done()) continue;
    const NodeTotals& node = played.record.nodes[worker];
    const auto steps = std::ranges::count_if(played.record.steps, [&](const StepRow& row) {
      return static_cast<std::size_t>(row.worker) == worker;
    });
    const double asked_s = gradient_s * static_cast<double>(steps);
    CAPTURE(worker, steps, gradient_s);
    CHECK(node.cpu_s >= asked_s * (1 - 1e-4));  // stages are rounded to nanoseconds
    if (played.in_step()) CHECK(node.cpu_s == Approx(asked_s).epsilon(1e-4));
    ++checked;
  }
  return checked;
}

// Whether two nodes may exchange messages.
bool talk(const Played& played, std::size_t a, std::size_t b) {
  if (!played.protocol().servers) return true;
  const auto workers = static_cast<std::size_t>(node_counts(played.scenario).workers);
  if (a >= workers && b >= workers) return played.has_backups();
  return (a < workers) != (b < workers);
}

// Whether all messages to node `id` come over its host's wire.
bool receives_from_elsewhere(const Played& played, std::size_t id) {
  for (std::size_t other = 0; other < played.places.size(); ++other) {
    const bool beside = other != id && played.places[other].host == played.places[id].host;
    if (beside && talk(played, id, other)) return false;
  }
  return true;
}

// Checks that no host reads more than its wire and the burst of its token bucket can carry by then.
int check_capacity(const Played& played) {
  const ClusterSpec& cluster = played.scenario.cluster;
  if (cluster.hosts.empty() || cluster.topology == "links") return 0;
  std::map<std::size_t, double> read;  // by host, bytes
  std::set<std::size_t> mixed;
  for (std::size_t id = 0; id < played.places.size(); ++id) {
    const std::size_t host = played.places[id].host;
    if (!receives_from_elsewhere(played, id)) mixed.insert(host);
    const std::int64_t bytes =
        played.record.nodes[id].rx.value + played.record.nodes[id].undelivered->value;
    // Only the sum of its messages is known, which gives the least number of packets.
    read[host] += static_cast<double>(cluster.tcp ? sim::framed(bytes) : bytes);
  }
  int checked = 0;
  for (std::size_t id = 0; id < played.places.size(); ++id) {
    const std::size_t host = played.places[id].host;
    if (mixed.contains(host)) continue;
    const HostSpec& spec = cluster.hosts[played.places[id].spec];
    const double most = spec.nic.value * played.end().seconds();
    CAPTURE(played.places[id].host_name);
    CHECK(read[host] <= (most + static_cast<double>(spec.burst.value)) * (1 + 1e-9) + 1);
    ++checked;
  }
  return checked;
}

// The number of scenarios of each kind, to make sure that the checks apply.
struct Seen {
  int done = 0;
  int lost = 0;
  int failed = 0;
  int spent = 0;
  int carried = 0;
  std::set<std::string> strategies;
};

// The dead node is named before the node that noticed: with backups this may be one of several
// shards that misses its part of a chosen gradient.
bool says_who_is_missing(const Played& played) {
  const std::string& failure = played.record.failure;
  return failure.starts_with("worker") && failure.find(' ') == failure.find(" was killed at ");
}

void play(std::uint64_t seed, const RandomScenarios& scenarios, Seen& seen) {
  Stream draw(seed, "any training");
  const Case scenario_case = scenarios.draw(draw);
  const std::string text = to_yaml(scenario_case.scenario);
  CAPTURE(seed);
  INFO(text);
  // A file could contain it.
  CHECK(scenario_error(text) == "(no error)");
  const Played played(scenario_case);
  INFO(played.record.failure);
  if (played.done()) {
    ++seen.done;
  } else {
    ++seen.failed;
    CHECK(says_who_is_missing(played));
  }
  if (played.somebody_lost()) ++seen.lost;
  seen.strategies.insert(scenario_case.scenario.training.strategy);
  check_bytes(played);
  check_counts(played);
  check_steps(played);
  check_usage(played);
  check_interfaces(played);
  seen.spent += check_work(played);
  seen.carried += check_capacity(played);
}

// Runs a quarter of the seeds; test cases run in parallel.
void play_quarter(std::uint64_t first) {
  const RandomScenarios scenarios;
  Seen seen;
  for (std::uint64_t seed = first; seed < first + 500; ++seed) play(seed, scenarios, seen);
  CHECK(seen.done > 350);
  CHECK(seen.lost > 10);
  CHECK(seen.failed > 10);
  CHECK(seen.spent > 30);
  CHECK(seen.carried > 100);
  CHECK(seen.strategies.size() == protocols().size());
}

TEST_CASE("random scenarios: a worker that died is named before the shard that misses its part") {
  // Shard 0 is fast and makes its choice while the slow shard still receives, when worker 2 dies.
  const std::string text =
      "foretrain: 1\nmodel: softmax\nnumerics: off\ntransport: {unsent: 1 KB}\n"
      "training: {workers: 3, servers: 4, backup_workers: 1, batch_size: 16, steps: 40,\n"
      "  bucket_size: 8 KB}\n"
      "cluster: {hosts: [{name: a, count: 6, nic: 100 Mbps, latency: 100 us, compute: 2 ms},\n"
      "  {name: slow, nic: 4 Mbps, latency: 100 us, compute: 2 ms}]}\n"
      "stragglers: [{workers: [0], slowdown: 3.0}]\nfaults: [{kill: worker2, at: ";
  int missed = 0;
  for (int death_ms = 20; death_ms <= 60; death_ms += 2) {
    const std::string at = std::to_string(death_ms) + " ms";
    const Record record = simulate(parse_scenario(text + at + "}]\n", "x.yaml").front());
    if (record.outcome == Outcome::done) continue;
    ++missed;
    CHECK(record.failure == "worker2 " + death_at(Duration{death_ms * 1'000'000LL}) +
                                "; server3: shard 0 chose its gradient for a step, but this shard "
                                "never received its part");
  }
  CHECK(missed > 5);
}

TEST_CASE("random scenarios: each ends or says who is missing and loses nothing (1 of 4)") {
  play_quarter(1);
}

TEST_CASE("random scenarios: each ends or says who is missing and loses nothing (2 of 4)") {
  play_quarter(501);
}

TEST_CASE("random scenarios: each ends or says who is missing and loses nothing (3 of 4)") {
  play_quarter(1'001);
}

TEST_CASE("random scenarios: each ends or says who is missing and loses nothing (4 of 4)") {
  play_quarter(1'501);
}

}  // namespace
}  // namespace foretrain::testing
