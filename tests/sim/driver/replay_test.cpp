// Simulations with recorded job times in place of a machine's.
#include "sim/driver/replay.h"

#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

/// A machine on which everything slows compute.
Machine disturbing() {
  Machine machine = made_up_machine();
  machine.contention = 3;
  for (auto& [name, cost] : machine.models) {
    cost.gradient_jitter = 0.5;
  }
  return machine;
}

/// Recorded times of `nodes`: jobs alternate between number 0 with 2 ms and number 1 with 3 ms.
std::vector<InputRow> recorded_rows(std::uint32_t nodes) {
  std::vector<InputRow> rows;
  for (std::uint32_t i = 0; i < 40 * nodes; ++i) {
    InputRow row;
    row.kind = InputRow::Kind::computed;
    row.node = i % nodes;
    row.id = i / nodes % 2;
    row.took = row.id == 0 ? 2_ms : 3_ms;
    rows.push_back(row);
  }
  return rows;
}

Record simulated(const Case& scenario_case, const std::vector<InputRow>& inputs) {
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return disturbing(); };
  options.usage_interval = {};
  options.recorded = inputs;
  return simulate(scenario_case, options);
}

TEST_CASE("recorded times: a simulation's jobs take them and nothing else") {
  Case scenario_case = small_case("single", 1, 10);
  scenario_case.scenario.numerics = false;
  const std::vector<InputRow> inputs = recorded_rows(1);  // the gradient is number 0, the update 1
  const Record record = simulated(scenario_case, inputs);
  REQUIRE(record.steps.size() == 10);
  for (const StepRow& row : record.steps) {
    CHECK(row.report.phases.compute == 2_ms);
    CHECK(row.report.phases.apply == 3_ms);
  }
}

TEST_CASE("recorded times: neither another core nor a straggler's factor makes them longer") {
  Case scenario_case = small_case("async", 2, 10);
  scenario_case.scenario.numerics = false;
  StragglerSpec straggler;
  straggler.workers = {0, 1};
  straggler.slowdown = 4;
  scenario_case.scenario.stragglers.push_back(straggler);
  std::vector<InputRow> inputs = recorded_rows(3);
  for (InputRow& row : inputs) {
    if (row.node == 2) row.took = 1_ns;  // the server's
  }
  // A worker's gradient is number 1. Both cores are busy with one nearly all the time.
  for (const StepRow& row : simulated(scenario_case, inputs).steps) {
    CHECK(row.report.phases.compute.seconds() == Approx(3e-3).margin(1e-3));
  }
  const Record modelled = simulated(scenario_case, {});
  CHECK(mean_step_s(modelled) != Approx(3e-3).epsilon(0.3));
}

TEST_CASE("recorded times: only a run that was asked for them has any") {
  Record record;
  record.inputs = recorded_rows(1);
  CHECK(sim::has_job_times(record));
  for (InputRow& row : record.inputs) row.took = {};
  CHECK_FALSE(sim::has_job_times(record));
}

TEST_CASE("recorded times: gradients are carried out only where times depend on values") {
  DataSets data_sets;
  Case scenario_case = small_case("sync", 2, 10);
  CHECK_FALSE(sim::case_of_times(scenario_case, data_sets).scenario.numerics);
  scenario_case.scenario.training.until.accuracy = 0.9;
  CHECK(sim::case_of_times(scenario_case, data_sets).scenario.numerics);
  Case sparse = small_case("sync", 2, 10);
  sparse.scenario.model.name = "sparse_logistic";
  sparse.scenario.dataset.format = "clicks";
  CHECK(sim::case_of_times(sparse, data_sets).scenario.numerics);
}

TEST_CASE("replay: a record that does not say how it began is refused") {
  Record record;
  record.scenario_case = small_case("sync", 2, 10);
  record.inputs = recorded_rows(3);  // without any start
  const char* refused = "inputs.bin: the start of worker0 is missing; the record is incomplete";
  CHECK_THROWS_WITH(sim::replay(record), refused);
  record.resumed = {5};
  CHECK_THROWS_WITH(sim::replay(record), refused);
}

}  // namespace
}  // namespace foretrain::testing
