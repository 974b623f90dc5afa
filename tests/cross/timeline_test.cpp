// The timelines of a run, of its simulation pass the same checks.
#include "reports/record/timeline.h"

#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/real_run.h"
#include "tests/support/timeline_checks.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace foretrain::testing {
namespace {

void check(const Record& record) {
  const auto slices = check_timeline(timeline_json(record));
  for (int worker = 0; worker < 2; ++worker) {
    const auto& mine = slices.at(worker + 1);
    const auto steps = std::ranges::count_if(
        mine, [](const TimelineSlice& s) { return s.name.starts_with("step "); });
    CHECK(steps == std::ranges::count(record.steps, worker, &StepRow::worker));
  }
  const auto& chief = slices.at(1);
  const auto evaluations = std::ranges::count(record.evals, false, &EvalReport::final);
  CHECK(evaluations > 0);
  CHECK(std::ranges::count(chief, "evaluate", &TimelineSlice::name) == evaluations);
  CHECK(chief.back().name == "final evaluation");
}

TEST_CASE("timeline: the steps of a run nest, so do those of its simulation") {
  const std::string strategy = GENERATE("sync", "async");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 2, 25);
  scenario_case.scenario.training.evaluate_every = 10;
  set_option(scenario_case.scenario.training.protocol, "quota", "own");
  check(simulate(scenario_case));
  check(real_run(scenario_case));
}

}  // namespace
}  // namespace foretrain::testing
