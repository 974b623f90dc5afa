// Dictated gradient times, rule by rule.
#include "scenarios/resolve/gradient_times.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>

namespace foretrain {
namespace {

Job stage_of_gradient(int stage, double share) {
  Job job;
  job.stage = stage;
  job.share = share;
  return job;
}

Scenario slowed(double slowdown) {
  Scenario scenario;
  StragglerSpec spec;
  spec.slowdown = slowdown;
  scenario.stragglers = {spec};
  return scenario;
}

Scenario scattered() {
  Scenario scenario;
  StragglerSpec spec;
  spec.distribution = "lognormal";
  spec.sigma = 0.5;
  scenario.stragglers = {spec};
  return scenario;
}

GradientTimes times_of(const Scenario& scenario, std::optional<Duration> given, bool real_cores) {
  return {StragglerDraws(scenario, 0), given, real_cores};
}

TEST_CASE("gradient times: a gradient draws its factor once for all of its stages") {
  GradientTimes times = times_of(scattered(), std::nullopt, false);
  StragglerDraws draws(scattered(), 0);
  for (int step = 0; step < 10; ++step) {
    const double factor = draws.next();
    CHECK(times.begin(stage_of_gradient(0, 0.5)) == factor);
    CHECK(times.begin(stage_of_gradient(1, 0.25)) == factor);
    CHECK(times.begin(stage_of_gradient(2, 0.25)) == factor);
  }
}

TEST_CASE("gradient times: other jobs neither straggle nor are given a time") {
  GradientTimes times = times_of(slowed(3), Duration{1'000}, true);
  Job job;
  for (const JobKind kind : {JobKind::apply, JobKind::reduce, JobKind::evaluate}) {
    job.kind = kind;
    CHECK(times.begin(job) == 1);
    CHECK(!times.given(job));
  }
  CHECK(times.begin(stage_of_gradient(0, 1)) == 3);
  CHECK(times.given(stage_of_gradient(0, 1)) == Duration{1'000});
}

TEST_CASE("gradient times: a stage has its share of the given time") {
  const GradientTimes times = times_of({}, Duration{1'000}, true);
  CHECK(times.given(stage_of_gradient(0, 0.25)) == Duration{250});
  CHECK(times.given(stage_of_gradient(1, 0.75)) == Duration{750});
}

TEST_CASE("gradient times: nothing makes a real core faster but a given time may be shorter") {
  const std::optional<Duration> given = Duration{1'000};
  CHECK(times_of(slowed(0.5), std::nullopt, true).begin(stage_of_gradient(0, 1)) == 1);
  CHECK(times_of(slowed(0.5), std::nullopt, false).begin(stage_of_gradient(0, 1)) == 0.5);
  CHECK(times_of(slowed(0.5), given, true).begin(stage_of_gradient(0, 1)) == 0.5);
}

TEST_CASE("gradient times: a server has neither") {
  GradientTimes times;
  CHECK(times.begin(stage_of_gradient(0, 1)) == 1);
  CHECK(!times.given(stage_of_gradient(0, 1)));
}

}  // namespace
}  // namespace foretrain
