// Steps of the first K of N workers, compared with order statistics.
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>

namespace foretrain::testing {
namespace {
using namespace literals;

// --- A. Waiting for the first K of N (Dutta et al., arXiv 1803.01113) ---
//
// Late workers finish their current gradient, so the closed form applies to the first step of a
// training: the K-th smallest of N draws. Means over seeds, with one training of one update each.

struct Mean {
  double mean_s = 0;
  double error_s = 0;  ///< standard error
};

Mean first_step(int workers, int backups, const StragglerSpec& straggler, std::uint64_t seeds) {
  Case scenario_case = star_case("sync", workers, 0, 1_s);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.updates = 1;
  set_option(scenario.training.protocol, "backup_workers", backups);
  scenario.stragglers = {straggler};
  double sum = 0;
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    scenario.seed = seed;
    const Record record = simulate(scenario_case);
    REQUIRE(record.updates == 1);
    REQUIRE(record.gradients == workers - backups);
    const double time_s = record.time.seconds();
    sum += time_s;
    squares += time_s * time_s;
  }
  const auto count = static_cast<double>(seeds);
  const double mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / count)};
}

StragglerSpec exponential_delays() {
  StragglerSpec spec;
  spec.distribution = "exponential";
  return spec;
}

}  // namespace

TEST_CASE("closed form A: the first step of K of N takes the K-th of N draws") {
  const auto [backups, expected] = GENERATE(table<int, double>({{4, 0.6345}, {0, 2.7179}}));
  CAPTURE(backups);
  const Mean step = first_step(8, backups, exponential_delays(), 12'000);
  CAPTURE(step.mean_s, step.error_s);
  CHECK(step.error_s / expected < 0.005);
  CHECK(step.mean_s == Approx(expected).epsilon(0.01));
}

TEST_CASE("closed form A: with b backups beside N workers it is the N-th of N + b") {
  // (H_10 - H_2) / mu
  const Mean step = first_step(10, 2, exponential_delays(), 15'000);
  CAPTURE(step.mean_s, step.error_s);
  CHECK(step.error_s / 1.4290 < 0.004);
  CHECK(step.mean_s == Approx(1.4290).epsilon(0.01));
}

// The closed form has scale 1; ours has mean 1, so scale 1 / E with E = a / (a - 1).
TEST_CASE("closed form A: the first step of K of N with Pareto times, whose tail is heavy") {
  // The slowest of 8 has a hundred times the variance of the fourth, so it takes more seeds.
  const auto [backups, seeds, expected, error] = GENERATE(table<int, std::uint64_t, double, double>(
      {{4, 4'000, 1.3002, 0.003}, {0, 20'000, 3.4727, 0.007}}));
  CAPTURE(backups);
  StragglerSpec pareto;
  pareto.distribution = "pareto";
  pareto.shape = 2.5;
  const double mean_s = expected * (pareto.shape - 1) / pareto.shape;
  const Mean step = first_step(8, backups, pareto, seeds);
  CAPTURE(step.mean_s, step.error_s);
  CHECK(step.error_s / mean_s < error);
  CHECK(step.mean_s == Approx(mean_s).epsilon(0.01));
}

TEST_CASE("closed form A: the steps after the first take no less, no more than N - b fresh draws") {
  // Late workers are busy with gradients that will be dropped.
  Case scenario_case = star_case("sync", 8, 0, 1_s);
  scenario_case.scenario.training.updates = 20'000;
  set_option(scenario_case.scenario.training.protocol, "backup_workers", 4);
  scenario_case.scenario.stragglers = {exponential_delays()};
  const Record record = simulate(scenario_case);
  const double step_s = record.time.seconds() / 20'000;
  CHECK(step_s > 0.6345 * 1.05);  // the 4th of 8
  CHECK(step_s < 2.0833 * 0.95);  // the 4th of 4
}

}  // namespace foretrain::testing
