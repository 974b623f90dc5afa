// The overhead of other programs adds up as in its equations.
#include "reports/record/summary.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

TEST_CASE("framework: a session and the chief's wait are start-up and no part of the time") {
  const auto [strategy, startup] = GENERATE(table<std::string, Duration>(
      {{"single", 12_s}, {"async", 12_s}, {"sync", 42_s}, {"all_reduce", 42_s}}));
  CAPTURE(strategy);
  Case scenario_case = star_case(strategy, strategy == "single" ? 1 : 2, 5, 1_s);
  const Duration time = simulate(scenario_case).time;
  scenario_case.scenario.framework.session_start = 12_s;
  scenario_case.scenario.framework.chief_wait = 30_s;
  const Record record = simulate(scenario_case);
  CHECK(record.startup == startup);
  CHECK(record.time == time);
  CHECK(summarize(record).startup_s == startup.seconds());
}

TEST_CASE("framework: a step takes its overhead and a round for each other worker longer") {
  const int workers = GENERATE(1, 3);
  Case scenario_case = star_case("sync", workers, 4, 1_s);
  scenario_case.scenario.framework.step = 200_ms;
  scenario_case.scenario.framework.round = 30_ms;
  const Duration step = 1_s + 200_ms + 30_ms * (workers - 1);
  for (const StepRow& row : simulate(scenario_case).steps) {
    CHECK(row.report.phases.compute == step);
  }
}

TEST_CASE("framework: input costs an example, launches cost a step") {
  const int batch = GENERATE(8, 16);
  Case scenario_case = star_case("sync", 2, 4, 1_s);
  scenario_case.scenario.training.batch_size = batch;
  scenario_case.scenario.framework.step = 200_ms;
  scenario_case.scenario.framework.example = 5_ms;
  for (const StepRow& row : simulate(scenario_case).steps) {
    CHECK(row.report.phases.compute == 1_s + 200_ms + 5_ms * batch);
  }
}

TEST_CASE("framework: each batch of a gradient has its overhead, a step its rounds, its update") {
  Case scenario_case = star_case("sync", 3, 4, 1_s);
  scenario_case.scenario.training.accumulate = 4;
  scenario_case.scenario.framework.step = 200_ms;
  scenario_case.scenario.framework.round = 30_ms;
  scenario_case.scenario.framework.update = 7_ms;
  for (const StepRow& row : simulate(scenario_case).steps) {
    CHECK(row.report.phases.compute == (1_s + 200_ms) * 4 + 7_ms + 30_ms * 2);
  }
}

TEST_CASE("framework: a message costs its sender as its receiver") {
  Case scenario_case = star_case("sync", 1, 4, 1_s);
  scenario_case.scenario.framework.message = {10e-3, 0};
  // Four messages: sent by the worker, received and answered by the server, received.
  const Record record = simulate(scenario_case);
  CHECK(mean_step_s(record) == Approx(1 + 4 * 0.01).epsilon(1e-9));
  // Weights, then biases: the server receives both before it answers the second.
  scenario_case.scenario.training.bucket_size = {0};
  const Record by_tensor = simulate(scenario_case);
  CHECK(by_tensor.nodes[0].messages_sent == 2 * record.nodes[0].messages_sent);
  CHECK(mean_step_s(by_tensor) > mean_step_s(record) + 0.01);
}

// Eight workers in a closed loop keep the server busy.
TEST_CASE("framework: a server takes no more gradients than it has time for") {
  Case scenario_case = star_case("async", 8, 400, 1_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].cores = 4;
  scenario.framework.server = {6e-3, 1e-9};
  const double bytes = static_cast<double>(message_size().value);
  const double most = 1 / (6e-3 + 1e-9 * bytes);
  const Record record = simulate(scenario_case);
  CHECK(static_cast<double>(record.gradients) / record.time.seconds() ==
        Approx(most).epsilon(0.01));
}

/// Gradients a second of eight workers with almost no compute time.
double gradients_a_second(const Case& scenario_case) {
  const Record record = simulate(scenario_case);
  return static_cast<double>(record.gradients) / record.time.seconds();
}

TEST_CASE("framework: a server takes its time for each tensor of the network") {
  Case scenario_case = star_case("async", 8, 400, 1_ms);  // two tensors: weights, biases
  Scenario& scenario = scenario_case.scenario;
  scenario.framework.server = {{0, 1e-9}, 4e-3};
  const double bytes_s = 1e-9 * static_cast<double>(message_size().value);
  CHECK(gradients_a_second(scenario_case) == Approx(1 / (bytes_s + 2 * 4e-3)).epsilon(0.01));
  SECTION("in as many messages") {
    scenario.training.bucket_size = {0};
    CHECK(gradients_a_second(scenario_case) == Approx(1 / (bytes_s + 2 * 4e-3)).epsilon(0.01));
  }
  SECTION("of two servers each for its own") {
    scenario.training.servers = 2;
    scenario.training.bucket_size = message_size() - kHeaderSize;
    scenario.training.bucket_size.value /= 2;
    scenario.cluster.hosts[0].count = 10;
    CHECK(gradients_a_second(scenario_case) == Approx(2 / (bytes_s + 2 * 4e-3)).epsilon(0.02));
  }
}

// The first worker's update does not wait for the processing of the second one's gradient;
// otherwise both would be answered together, and the server would be idle while both compute.
TEST_CASE("framework: who comes first to a server is answered first") {
  Case scenario_case = star_case("async", 2, 100, 50_ms);
  scenario_case.scenario.framework.server = {20e-3, 0};
  const Record record = simulate(scenario_case);
  CHECK(static_cast<double>(record.gradients) / record.time.seconds() ==
        Approx(2 / 70e-3).epsilon(0.02));
}

// Half of a gradient each: two servers gain less than a factor of two because of the fixed cost per
// gradient.
TEST_CASE("framework: what a server spends on any gradient is not shared by two of them") {
  Case scenario_case = star_case("async", 8, 400, 1_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.servers = 2;
  scenario.training.bucket_size = message_size() - kHeaderSize;
  scenario.training.bucket_size.value /= 2;
  scenario.cluster.hosts[0].count = 10;
  scenario.framework.server = {6e-3, 6e-3 / static_cast<double>(message_size().value)};
  const Record record = simulate(scenario_case);
  CHECK(static_cast<double>(record.gradients) / record.time.seconds() ==
        Approx(1 / 9e-3).epsilon(0.02));
}

std::int64_t steps_of(const Record& record, int worker) {
  return std::ranges::count(record.steps, worker, &StepRow::worker);
}

TEST_CASE("framework: an evaluation blocks the chief or all workers or nobody") {
  Case scenario_case = star_case("async", 2, 40, 1_s);
  HostSpec& host = scenario_case.scenario.cluster.hosts[0];
  host.compute.reset();
  host.machine = "made up";
  scenario_case.scenario.dataset.test_take = 2'000;  // an evaluation of 2 ms, a gradient of 132 us
  scenario_case.scenario.training.evaluate_every = 1;
  const auto evaluated = [&](const std::string& whom) {
    scenario_case.scenario.framework.evaluation = whom;
    return simulate(scenario_case);
  };
  const Record chief = evaluated("chief");
  const Record all = evaluated("all");
  const Record nobody = evaluated("nobody");
  CHECK(steps_of(chief, 1) > 5 * steps_of(chief, 0));
  CHECK(std::abs(steps_of(all, 1) - steps_of(all, 0)) <= 8);
  CHECK(std::abs(steps_of(nobody, 1) - steps_of(nobody, 0)) <= 8);
  CHECK(all.time > chief.time);
  CHECK(all.time.seconds() > 30 * 2e-3);
  CHECK(nobody.time < chief.time);
  for (const EvalReport& eval : nobody.evals) CHECK(eval.took < 1_ms);
}

TEST_CASE("framework: stragglers slow the work but not the overhead") {
  Case scenario_case = star_case("sync", 1, 4, 1_s);
  scenario_case.scenario.framework.step = 200_ms;
  scenario_case.scenario.stragglers = {{}};
  scenario_case.scenario.stragglers[0].slowdown = 3;
  for (const StepRow& row : simulate(scenario_case).steps) {
    CHECK(row.report.phases.compute == 3_s + 200_ms);
  }
}

TEST_CASE("framework: what waiting burns is the same however often it is looked at") {
  Case scenario_case = star_case("async", 3, 10, 1_s);
  set_option(scenario_case.scenario.training.protocol, "quota", "own");
  scenario_case.scenario.framework.waiting_cores = 2;
  scenario_case.scenario.faults = {{.at = 5500_ms, .kill = "worker2"}};
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  const Record often = simulate(scenario_case, options);
  options.summary_only = true;
  const Record once = simulate(scenario_case, options);
  for (std::size_t i = 0; i < once.nodes.size(); ++i) {
    CHECK(often.nodes[i].cpu_s == Approx(once.nodes[i].cpu_s));
  }
  // Nobody waits, and the dead worker uses no CPU time.
  CHECK(once.nodes[0].cpu_s == Approx(10));
  CHECK(once.nodes[2].cpu_s == Approx(5.5));
}

TEST_CASE("framework: a worker that waits burns cores where the scenario says so") {
  Case scenario_case = star_case("sync", 2, 10, 1_s);
  scenario_case.scenario.stragglers = {{}};
  scenario_case.scenario.stragglers[0].workers = {1};
  scenario_case.scenario.stragglers[0].slowdown = 3;
  CHECK(simulate(scenario_case).nodes[0].cpu_s == Approx(10));
  scenario_case.scenario.framework.waiting_cores = 2;
  const Record record = simulate(scenario_case);
  CHECK(record.nodes[0].cpu_s == Approx(10 + 2 * 20));
  CHECK(record.nodes[1].cpu_s == Approx(30));
  CHECK(record.nodes[2].cpu_s == 0);  // a server waits asleep
}

// Two hosts: the second has the disk and the data.
Case fed_case() {
  Case scenario_case = star_case("single", 1, 10, 100_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].nic = {1e6};
  scenario.cluster.hosts[0].cores = 4;
  scenario.dataset.input.served_by = "node1";
  scenario.dataset.input.example_size = {5'000};  // 16 of them: 80 ms on the wire
  return scenario_case;
}

TEST_CASE("framework: a batch is read then shipped then parsed before its gradient") {
  Case scenario_case = fed_case();
  InputSpec& input = scenario_case.scenario.dataset.input;
  input.prefetch = 0;
  CHECK(simulate(scenario_case).time.seconds() == Approx(10 * (0.1 + 0.08)).epsilon(1e-6));
  input.read_rate = {8e5};  // 100 ms
  CHECK(simulate(scenario_case).time.seconds() == Approx(10 * (0.1 + 0.18)).epsilon(1e-6));
  input.parse = 1_ms;  // 16 ms
  const Record record = simulate(scenario_case);
  CHECK(record.time.seconds() == Approx(10 * (0.1 + 0.196)).epsilon(1e-6));
  CHECK(record.nodes[0].cpu_s == Approx(10 * (0.1 + 0.016)).epsilon(1e-6));
  CHECK(record.nodes[0].nic_rx == Bytes{10 * 16 * 5'000});
}

TEST_CASE("framework: what is fetched ahead costs only what exceeds the gradient") {
  Case scenario_case = fed_case();
  InputSpec& input = scenario_case.scenario.dataset.input;
  // Hidden, except for the first batch.
  CHECK(simulate(scenario_case).time.seconds() == Approx(0.08 + 10 * 0.1).epsilon(1e-6));
  input.example_size = {10'000};  // 160 ms: the input is the bottleneck, then the last gradient
  CHECK(simulate(scenario_case).time.seconds() == Approx(10 * 0.16 + 0.1).epsilon(1e-6));
}

TEST_CASE("framework: input waits for a worker that joins late and rests while it is paused") {
  Case scenario_case = fed_case();
  Scenario& scenario = scenario_case.scenario;
  scenario.faults = {{.at = 1_s, .join = "worker0"}};
  const Record late = simulate(scenario_case);
  CHECK(late.time.seconds() == Approx(1 + 0.08 + 10 * 0.1).epsilon(1e-6));
  scenario.faults = {{.at = 250_ms, .kill = "worker0"}};
  const Record dead = simulate(scenario_case);
  CHECK(dead.outcome == Outcome::failed);
  CHECK(dead.nodes[0].nic_rx <= Bytes{4 * 16 * 5'000});
}

TEST_CASE("framework: workers who read one disk take turns") {
  Case scenario_case = star_case("async", 2, 10, 1_ms);
  Scenario& scenario = scenario_case.scenario;
  set_option(scenario.training.protocol, "quota", "own");
  scenario.cluster.hosts[0].cores = 4;
  scenario.cluster.placement = {{"node0", "node0"}, {"node1"}};
  scenario.dataset.input.read_rate = {16 * 784 * 4 / 0.1};  // 100 ms per batch
  const Record record = simulate(scenario_case);
  CHECK(record.time.seconds() == Approx(20 * 0.1).epsilon(0.01));
}

// 16 examples of 784 pixels and ten numbers of a label, 4 bytes each.
constexpr std::int64_t kFedBatch = 16 * (784 + 10) * 4;
constexpr std::int64_t kFedTestSet = 200 * (784 + 10) * 4;

TEST_CASE("framework: a remote client's batch goes to the session's host and back") {
  Case scenario_case = star_case("single", 1, 10, 100_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].nic = {1e6};
  scenario.cluster.placement = {{"node1"}, {}};
  scenario.framework.session_host = "node0";
  scenario.framework.feed_s = 3e-6;
  std::int64_t fed = 10 * kFedBatch;
  SECTION("with its step") {}
  SECTION("with the test set in steps that are evaluated") {
    scenario.training.evaluate_every = 4;
    fed += 2 * kFedTestSet;
  }
  SECTION("with the test set for each batch of a gradient") {
    scenario.training.evaluate_every = 4;
    scenario.training.accumulate = 2;
    fed = 2 * fed + 2 * 2 * kFedTestSet;
  }
  SECTION("without the test set if nobody evaluates") {
    scenario.training.evaluate_every = 4;
    scenario.framework.evaluation = "nobody";
  }
  const Record record = simulate(scenario_case);
  const double compute_s = 0.1 * 10 * scenario.training.accumulate;
  const double fed_s = static_cast<double>(fed) * (2 / 1e6 + 3e-6);
  CHECK(record.time.seconds() == Approx(compute_s + fed_s).epsilon(1e-6));
  CHECK(record.nodes[0].nic_tx == Bytes{fed});
  CHECK(record.nodes[0].nic_rx == Bytes{fed});
}

TEST_CASE("framework: remote clients share a core of the session's host") {
  Case scenario_case = star_case("sync", 3, 10, 100_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].cores = 4;
  scenario.cluster.placement = {{"node0", "node1", "node2"}, {"node0"}};
  scenario.framework.session_host = "node0";
  scenario.framework.feed_s = 1e-6;
  const Record record = simulate(scenario_case);
  // The client on node0 feeds for nothing.
  CHECK(record.time.seconds() == Approx(10 * (0.1 + 2 * kFedBatch * 1e-6)).epsilon(1e-3));
  const Bytes moved = (Bytes{kFedBatch} + message_size()) * (10 * 2);
  CHECK(record.nodes[0].nic_rx == moved);
  CHECK(record.nodes[0].nic_tx == moved);
}

TEST_CASE("framework: the size of a fed example has to be known") {
  Case scenario_case = star_case("single", 1, 2, 1_s);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.name = "sparse_logistic";
  scenario.dataset.format = "clicks";
  scenario.cluster.placement = {{"node1"}, {}};
  scenario.framework.session_host = "node0";
  CHECK_THROWS_WITH(simulate(scenario_case),
                    Catch::Contains("framework.session_host: the size of a fed example is not "
                                    "known; remove it"));
}

TEST_CASE("framework: a worker holds its own share of the examples in the size that is said") {
  Case scenario_case = star_case("sync", 1, 2, 1_s);
  scenario_case.scenario.dataset.take = 6'000;
  const auto rss = [&](int workers, Bytes held) {
    scenario_case.scenario.training.workers = workers;
    scenario_case.scenario.dataset.input.held_size = held;
    return simulate(scenario_case).nodes[0].rss->value;
  };
  CHECK(rss(1, {70'000}) - rss(1, {20'000}) == 6'000 * 50'000);
  CHECK(rss(1, {70'000}) - rss(3, {70'000}) == 4'000 * 70'000);
  // By default every worker has all examples.
  CHECK(rss(1, {}) - rss(3, {}) == 8 * 4'000);
}

}  // namespace
}  // namespace foretrain::testing
