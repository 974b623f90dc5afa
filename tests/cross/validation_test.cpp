// A validation of a real run finds errors in a machine file.
#include "reports/record/statistics.h"
#include "reports/studies/validation/verdict.h"
#include "sim/driver/replay.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/instruments.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

/// The times of the gradients, in seconds.
std::vector<double> compute_s(const Record& record) {
  std::vector<double> all;
  for (const StepRow& row : record.steps) all.push_back(row.report.phases.compute.seconds());
  return all;
}

/// Simulates on a machine where only gradients take time, `gradient_s` each: any other made-up cost
/// would be an error itself, a large one on a fast machine.
Record simulate_with(const Case& scenario_case, double gradient_s) {
  const Prepared prepared = prepare(scenario_case, Need::examples);
  sim::SimulateOptions options;
  options.machines = [&](const std::string&) {
    Machine machine;
    machine.models[prepared.model_key].gradient = {gradient_s, 0};
    return machine;
  };
  options.usage_interval = {};
  return sim::simulate(prepared, options);
}

TEST_CASE("validate: a machine file with faster compute is off by its name against a real run") {
  Case scenario_case = small_case("single", 1, 80);
  scenario_case.scenario.model.name = "lenet";
  scenario_case.scenario.dataset.test_take = 20;
  Record run = real_run(scenario_case);
  // Updates that waited for a busy core would be the largest error, which is not the subject here.
  for (StepRow& row : run.steps) row.report.phases.apply = {};
  // The median, like a step's time, ignores steps that the machine delayed.
  const double measured_s = median(compute_s(run)).value();
  const CaseValidation faster =
      compare_case(scenario_case, {{run}, simulate_with(scenario_case, 0.7 * measured_s)});
  CHECK(faster.weights_equal == std::optional(true));
  const auto verdict = verdict_of(faster);
  REQUIRE(verdict.has_value());
  CHECK_FALSE(verdict->held);
  REQUIRE(verdict->why.has_value());
  CHECK(verdict->why->phase == "compute");
  CHECK(verdict->why->predicted_ms == Approx(0.7e3 * measured_s).epsilon(1e-3));
  // The forecast with the measured time is closer.
  const CaseValidation right =
      compare_case(scenario_case, {{run}, simulate_with(scenario_case, measured_s)});
  const auto error = [](const CaseValidation& c) {
    return std::abs(c.find("step_time_ms")->error.value());
  };
  CHECK(error(right) < error(faster));
}

TEST_CASE("validate: with the job times of a real run what is left is the protocol's error") {
  const Case scenario_case = small_case("single", 1, 20);
  exec::RunOptions asked;
  asked.job_times = true;
  const Record run = real_run(scenario_case, asked);
  CHECK_FALSE(sim::has_job_times(real_run(scenario_case)));
  std::vector<Duration> gradients;  // the gradient is job 0
  for (const InputRow& row : run.inputs) {
    if (row.kind == InputRow::Kind::computed && row.id == 0) gradients.push_back(row.took);
  }
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  options.usage_interval = {};
  options.recorded = run.inputs;
  const Record own = simulate(scenario_case, options);
  REQUIRE(own.steps.size() == gradients.size());
  // A gradient delayed by other threads on the core gets the median of the others.
  std::size_t known = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    CHECK(own.steps[i].report.phases.compute.ns > 0);
    if (gradients[i] == Duration{}) continue;
    ++known;
    CHECK(own.steps[i].report.phases.compute == gradients[i]);
  }
  if (kThreadSanitized) {
    WARN("skipped: here a gradient takes so long that somebody may have held it up");
  } else {
    CHECK(known > gradients.size() / 2);
  }
  const CaseValidation v = compare_case(scenario_case, {{run}, simulate(scenario_case)}, {},
                                        [&](const Record&) { return std::optional(own); });
  const Comparison* step = v.find("step_time_ms");
  REQUIRE(step != nullptr);
  REQUIRE(step->protocol_error.has_value());
  CHECK(*step->protocol_error + step->compute_error().value() == Approx(step->error.value()));
}

TEST_CASE("validate: a real run without an order is replayed to its weights") {
  const Case scenario_case = small_case("async", 2, 20);
  const Record run = real_run(scenario_case);
  const CaseValidation v =
      compare_case(scenario_case, {{run}, simulate(scenario_case)}, sim::replay);
  CHECK(v.replay_equal == std::optional(true));
  CHECK(v.replay_bytes_equal == std::optional(true));
  CHECK(v.staleness_distance.has_value());
}

}  // namespace
}  // namespace foretrain::testing
