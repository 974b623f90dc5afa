// The cost of checkpoints in a forecast: closed forms.
#include "reports/record/source.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr std::int64_t kSoftmaxParameters = 7'850;  // of softmax over 784 pixels

TEST_CASE("checkpoints: each costs what the server's disk takes for its state") {
  Case scenario_case = star_case("sync", 2, 20, 10_ms);
  const Record plain = simulate(scenario_case);
  CheckpointSpec& checkpoint = scenario_case.scenario.checkpoint;
  checkpoint.every.steps = 5;
  checkpoint.write_rate = {1e6};
  checkpoint.write_latency = 3_ms;
  const Record kept = simulate(scenario_case);
  REQUIRE(kept.outcome == Outcome::done);
  CHECK(kept.checkpoints.count == 3);  // after 5, 10, 15 steps; none at the end
  // Values, no state of plain SGD, two lengths, two counts, the last update: at 1 MB/s.
  const double each_s = 0.003 + (4 * kSoftmaxParameters + 8 * 5) / 1e6;
  CHECK(kept.checkpoints.time.seconds() == Approx(3 * each_s).epsilon(1e-6));
  CHECK((kept.time - plain.time).seconds() == Approx(3 * each_s).epsilon(0.001));
  CHECK(kept.gradients == plain.gradients);
}

TEST_CASE("checkpoints: without servers each worker keeps all that it holds") {
  Case scenario_case = star_case("all_reduce", 2, 20, 10_ms);
  scenario_case.scenario.training.optimizer.name = "momentum";
  const Record plain = simulate(scenario_case);
  CheckpointSpec& checkpoint = scenario_case.scenario.checkpoint;
  checkpoint.every.steps = 10;
  checkpoint.write_rate = {1e6};
  checkpoint.write_latency = 0_ms;
  const Record kept = simulate(scenario_case);
  CHECK(kept.checkpoints.count == 1);
  const double floats = 4 * kSoftmaxParameters * (1 + 0.5);  // its half of the momentum
  CHECK(kept.checkpoints.time.seconds() == Approx(floats / 1e6).epsilon(0.01));
  CHECK((kept.time - plain.time).seconds() == Approx(floats / 1e6).epsilon(0.02));
}

/// Simulates with this disk in every machine, the default one and those named by hosts.
Record simulate_on_disk(const Case& scenario_case, const DiskCost& disk) {
  sim::SimulateOptions options;
  options.usage_interval = {};
  options.machines = [disk](const std::string&) {
    Machine machine = made_up_machine();
    machine.disk = disk;
    return machine;
  };
  return simulate(scenario_case, options);
}

/// Checks that each checkpoint took the time of its single part on that disk, to the nanosecond.
void check_parts(const Record& record, const DiskCost& disk) {
  REQUIRE(record.outcome == Outcome::done);
  const CheckpointTotals& kept = record.checkpoints;
  REQUIRE(kept.count >= 2);  // the last may be unfinished when the training ends
  const Bytes size{kept.size.value / kept.count};
  CHECK(size * kept.count == kept.size);
  CHECK(kept.time == disk.of(size) * kept.count);
}

TEST_CASE("checkpoints: left out of the scenario, what a part takes is the machine's") {
  const DiskCost slow{{3e6}, 24_ms};
  Case scenario_case = small_case("single", 1, 20);
  CheckpointSpec& checkpoint = scenario_case.scenario.checkpoint;
  checkpoint.every.steps = 5;
  const Record record = simulate_on_disk(scenario_case, slow);
  check_parts(record, slow);
  CHECK_FALSE(record.disk_assumed);
  CHECK(basis_sentence(record).find("disk") == std::string::npos);
  checkpoint.write_latency = 0_ms;
  check_parts(simulate_on_disk(scenario_case, slow), {{3e6}, {}});
  checkpoint.write_rate = {1e6};
  const Record given = simulate_on_disk(scenario_case, {});
  check_parts(given, {{1e6}, {}});
  CHECK_FALSE(given.disk_assumed);
}

TEST_CASE("checkpoints: where nobody says what a part takes it is assumed, which is told") {
  Case scenario_case = small_case("single", 1, 20);
  scenario_case.scenario.checkpoint.every.steps = 5;
  const Record older = simulate_on_disk(scenario_case, {});
  check_parts(older, kAssumedDisk);
  CHECK(older.disk_assumed);
  CHECK_THAT(basis_sentence(older),
             Catch::Contains("; a disk is assumed, since no machine file describes one: a node's "
                             "part of a checkpoint takes 3 ms plus its bytes at 4.8 Gbps."));
  scenario_case.scenario.checkpoint = {};
  CHECK_FALSE(simulate_on_disk(scenario_case, {}).disk_assumed);
}

TEST_CASE("checkpoints: a described host has the disk of the machine that it names, if any") {
  const DiskCost slow{{3e6}, 24_ms};
  Case scenario_case = star_case("single", 1, 20, 10_ms);
  scenario_case.scenario.checkpoint.every.steps = 5;
  const Record described = simulate_on_disk(scenario_case, slow);
  check_parts(described, kAssumedDisk);  // the default machine's disk does not count
  CHECK(described.disk_assumed);
  scenario_case.scenario.cluster.hosts.front().machine = "there.yaml";
  const Record named = simulate_on_disk(scenario_case, slow);
  check_parts(named, slow);
  CHECK_FALSE(named.disk_assumed);
}

TEST_CASE("checkpoints: none while a worker is away, as before when it is back") {
  const std::string strategy = GENERATE("async", "ssp");
  CAPTURE(strategy);
  Case scenario_case = star_case(strategy, 2, 200, 10_ms);
  scenario_case.scenario.checkpoint.every.steps = 10;
  scenario_case.scenario.checkpoint.write_latency = 0_ms;
  const Record whole = simulate(scenario_case);
  REQUIRE(whole.outcome == Outcome::done);
  CHECK(whole.checkpoints.count == 19);
  FaultSpec fault{.at = 505_ms, .kill = "worker1"};
  fault.restart_after = 495_ms;
  scenario_case.scenario.faults = {fault};
  const Record record = simulate(scenario_case);
  CAPTURE(record.failure);
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.gradients == 400);
  REQUIRE(record.nodes[1].away.size() == 1);
  // The other worker makes 25 steps on average meanwhile.
  CHECK(record.checkpoints.count >= 14);
  CHECK(record.checkpoints.count <= 18);
}

TEST_CASE("checkpoints: by time, the next one is waited for when the last is kept") {
  const std::string strategy =
      GENERATE("single", "sync", "async", "ssp", "all_reduce", "local_sgd", "gather_scatter");
  CAPTURE(strategy);
  Case scenario_case = star_case(strategy, strategy == "single" ? 1 : 2, 100, 10_ms);
  set_option(scenario_case.scenario.training.protocol, "local_steps", std::int64_t{4});
  CheckpointSpec& checkpoint = scenario_case.scenario.checkpoint;
  checkpoint.every.time = 200_ms;
  checkpoint.write_latency = 100_ms;
  const Record kept = simulate(scenario_case);
  CAPTURE(kept.failure);
  REQUIRE(kept.outcome == Outcome::done);
  // One second of steps with a checkpoint each 200 ms, or some steps later.
  CHECK(kept.checkpoints.count >= 2);
  CHECK(kept.checkpoints.count <= 5);
  CHECK(kept.gradients == 100 * scenario_case.scenario.training.workers);
}

// Node states by checkpoint, as they are saved in virtual time.
using StatesByCut = std::map<std::int64_t, std::map<std::uint32_t, std::string>>;

class KeepsStates : public Node {
 public:
  KeepsStates(NodeId id, std::unique_ptr<Node> program, StatesByCut& states)
      : id_(id), program_(std::move(program)), states_(states) {}
  void handle(Instant now, Input input, Effects& effects) override {
    const std::size_t before = effects.size();
    program_->handle(now, std::move(input), effects);
    for (std::size_t i = before; i < effects.size(); ++i) {
      const auto* keep = std::get_if<SaveState>(&effects[i]);
      if (keep != nullptr) states_[keep->cut][index_of(id_)] = keep->state();
    }
  }

 private:
  NodeId id_;
  std::unique_ptr<Node> program_;
  StatesByCut& states_;
};

Record simulate_around(const Case& scenario_case,
                       std::function<std::unique_ptr<Node>(NodeId, std::unique_ptr<Node>)> around) {
  sim::SimulateOptions options;
  options.machines = [&](const std::string&) { return made_up_machine("mlp"); };
  options.usage_interval = {};
  options.around = std::move(around);
  return simulate(scenario_case, options);
}

TEST_CASE("checkpoints: a simulation with dropout goes on from each to the same weights") {
  const std::string strategy =
      GENERATE("single", "sync", "ssp", "all_reduce", "local_sgd", "gather_scatter");
  CAPTURE(strategy);
  const int workers = strategy == "single" ? 1 : 2;
  Case scenario_case = small_case(strategy, workers, 12);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.layers = {
      {.kind = "dense", .units = 20}, {.kind = "dropout", .rate = 0.5}, {.kind = "dense"}};
  scenario.training.bucket_size = {20'000};
  scenario.training.optimizer.name = "adam";
  scenario.training.optimizer.learning_rate = 0.01;
  set_option(scenario.training.protocol, "staleness", std::int64_t{0});
  set_option(scenario.training.protocol, "local_steps", std::int64_t{2});
  HostSpec host;
  host.name = "node";
  host.count = 3;
  host.compute = 5_ms;
  scenario.cluster.hosts.push_back(host);
  const std::string expected = simulate_around(scenario_case, {}).weights_sha256;
  REQUIRE(expected.size() == 64);
  scenario.checkpoint.every.steps = 4;
  StatesByCut states;
  const Record kept = simulate_around(scenario_case, [&](NodeId id, std::unique_ptr<Node> program) {
    return std::make_unique<KeepsStates>(id, std::move(program), states);
  });
  CHECK(kept.weights_sha256 == expected);
  REQUIRE(states.size() == 2);
  for (const auto& cut : states) {
    CAPTURE(cut.first);
    const auto restored = [&](NodeId id, std::unique_ptr<Node> program) {
      StateReader state(cut.second.at(index_of(id)));
      program->restore(state);
      return program;
    };
    CHECK(simulate_around(scenario_case, restored).weights_sha256 == expected);
  }
}

}  // namespace
}  // namespace foretrain::testing
