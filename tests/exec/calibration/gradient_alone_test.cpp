// The momentary speed of the machine around a training.
#include "exec/calibration/gradient_alone.h"

#include "reports/record/statistics.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

namespace foretrain::exec {
namespace {

/// A record with steps of this duration.
Record steps_of(double step_s) {
  Record record;
  record.mode = Mode::simulate;
  record.outcome = Outcome::done;
  constexpr int kSteps = 8;
  for (int i = 0; i < kSteps; ++i) {
    StepRow& row = record.steps.emplace_back();
    row.report.start = Instant{} + Duration::from_seconds(i * step_s);
  }
  return record;
}

TEST_CASE("gradient alone: it is measured before and after a training, and gives its speed") {
  Case small;
  small.scenario.name = "small";
  small.scenario.dataset.take = 200;
  small.scenario.dataset.test_take = 50;
  small.scenario.training.batch_size = 16;
  GradientAlone alone(program_path());
  const Record run = alone.around(small, [&] {
    Record record = steps_of(1);
    record.scenario_case = small;
    return record;
  });
  REQUIRE(run.alone_s.size() == 2);
  CHECK(run.alone_s[0] > 0);
  CHECK(run.alone_s[1] > 0);
  // The machine is faster by the ratio to a forecast with gradients of 1 s.
  std::vector<double> slower;
  const auto moment = alone.at_moment_of(run, [&](const Case& each, double factor) {
    slower.push_back(factor);
    if (slower.size() == 1) CHECK(each.scenario.training.strategy == "single");
    return steps_of(1);
  });
  REQUIRE(moment.has_value());
  REQUIRE(slower.size() == 2);
  CHECK(slower[0] == 1);
  CHECK(slower[1] == Approx(median(run.alone_s).value()));
  CHECK_FALSE(alone.at_moment_of(steps_of(1), [](const Case&, double) { return Record{}; }));
}

TEST_CASE("gradient alone: of a training that failed nobody looks again") {
  Case small;
  small.scenario.name = "small";
  small.scenario.dataset.take = 100;
  small.scenario.dataset.test_take = 50;
  GradientAlone alone(program_path());
  const Record failed = alone.around(small, [] {
    Record record;
    record.outcome = Outcome::failed;
    return record;
  });
  CHECK(failed.alone_s.empty());
}

}  // namespace
}  // namespace foretrain::exec
