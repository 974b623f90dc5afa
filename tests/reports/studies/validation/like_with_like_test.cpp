// Runs on cores that were slower, or elsewhere, than those that were calibrated.
#include "reports/studies/validation/like_with_like.h"

#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"
#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {
using namespace testing;
using Catch::Contains;

}  // namespace

TEST_CASE("like with like: what the cores were slower by is taken out of a step") {
  const Case c = case_of("sync");
  const CaseValidation v = compare_case(c, {{timed_on(c, 125, 1.25)}, calibrated(c, 100)});
  CHECK(metric(v, "drift").measured == Approx(1.25));
  CHECK(metric(v, "step_time_ms").error.value() == Approx(-0.2));
  CHECK(metric(v, "undrifted_step_time_ms").error.value() == Approx(0).margin(1e-9));
}

TEST_CASE("like with like: of links that are described only compute follows the cores") {
  Case c = case_of("sync");
  c.scenario.cluster.hosts.emplace_back();
  Record run = timed_on(c, 100, 2);
  for (StepRow& row : run.steps) {
    row.report.phases = {};
    row.report.phases.compute = {2'000'000};
    row.report.phases.push = {8'000'000};
  }
  const CaseValidation v = compare_case(c, {{run}, calibrated(c, 100)});
  CHECK(metric(v, "undrifted_step_time_ms").measured == Approx(10 / 1.2));
}

TEST_CASE("like with like: without the drift of one run that of its case is not known") {
  const Case c = case_of("sync");
  const auto known = [&](const std::vector<Record>& runs, const Record& simulated) {
    return compare_case(c, {runs, simulated}).find("drift") != nullptr;
  };
  const Record looked = timed_on(c, 100, 1);
  const Record did_not = timed(Mode::run, c, 100);
  CHECK(known({looked, looked}, calibrated(c, 100)));
  CHECK_FALSE(known({looked, did_not}, calibrated(c, 100)));
  CHECK_FALSE(known({looked, looked}, timed(Mode::simulate, c, 100)));
}

TEST_CASE("like with like: runs with cores elsewhere than calibration are told apart") {
  const Case c = case_of("sync");
  const std::vector<Record> runs{
      timed_on(c, 100, 1, CoreDistance::near), timed_on(c, 250, 1, CoreDistance::far),
      timed_on(c, 260, 1, CoreDistance::far), timed_on(c, 102, 1, CoreDistance::near),
      timed_on(c, 104, 1, CoreDistance::near)};
  const CaseValidation near = compare_case(c, {runs, calibrated(c, 102, "near")});
  CHECK(metric(near, "step_time_ms").measured == Approx(10.4));
  CHECK(metric(near, "alike_step_time_ms").measured == Approx(10.2));
  CHECK(metric(near, "alike_step_time_ms").error.value() == Approx(0).margin(1e-9));
  const CaseValidation far = compare_case(c, {runs, calibrated(c, 102, "far")});
  CHECK(metric(far, "alike_step_time_ms").measured == Approx(25.5));
  const CaseValidation mixed = compare_case(c, {runs, calibrated(c, 102, "mixed")});
  CHECK(mixed.find("alike_step_time_ms") == nullptr);
}

TEST_CASE("like with like: a case is simulated for the cores that most of its runs had") {
  const Case c = case_of("sync");
  const auto most = [&](const std::vector<CoreDistance>& distances) {
    std::vector<Record> runs;
    for (const CoreDistance each : distances) runs.push_back(timed_on(c, 100, 1, each));
    return distance_of_most(runs);
  };
  using enum CoreDistance;
  CHECK(most({near, far, far}) == far);
  CHECK(most({near, mixed, mixed}) == mixed);
  CHECK(most({near, mixed}) == near);
  CHECK(most({near, far}) == near);
  CHECK(most({mixed, mixed}) == mixed);
  CHECK_FALSE(distance_of_most({timed(Mode::run, c, 100)}));
}

TEST_CASE("like with like: shares of distances are told, with the errors of those alike") {
  const Case c = case_of("sync");
  const Validation v{
      {compare_case(
          c, {{timed_on(c, 100, 1, CoreDistance::near), timed_on(c, 100, 1, CoreDistance::near),
               timed_on(c, 200, 1, CoreDistance::far), timed_on(c, 100, 1, CoreDistance::mixed)},
              calibrated(c, 103)})},
      4,
      0};
  const auto shares = distance_shares(v);
  REQUIRE(shares);
  CHECK(shares->near == 0.5);
  CHECK(shares->far == 0.25);
  CHECK(shares->mixed == 0.25);
  CHECK(strategy_verdicts(v)[0].alike.value().median == Approx(0.03));
  const std::string table = to_table(v);
  CHECK_THAT(table, Contains("near in 50 % of the trainings, far in 25 %"));
  CHECK_THAT(table, Contains("3.0 %"));
  CHECK(widest_line(table) <= 80);
  const auto json = to_json(v);
  CHECK(json["core_distances"]["near"] == 0.5);
  CHECK(json["verdicts"][0]["core_distance"] == "mixed");
  CHECK(json["verdicts"][0]["trainings"][2]["core_distance"] == "far");
  CHECK(json["cases"][0]["core_distance"] == "mixed");
}

TEST_CASE("like with like: each case tells the shares of its runs by the distance of their cores") {
  const Case c = case_of("sync");
  const auto of = [&](const std::vector<CoreDistance>& distances) {
    std::vector<Record> runs;
    for (const CoreDistance each : distances) runs.push_back(timed_on(c, 100, 1, each));
    return compare_case(c, {runs, calibrated(c, 100)});
  };
  using enum CoreDistance;
  const Validation v{{of({near, far, far, far}), of({near, near, near, near})}, 4, 0};
  const auto json = to_json(v);
  CHECK(json["core_distances"]["near"] == 0.625);
  CHECK(json["verdicts"][0]["core_distances"]["near"] == 0.25);
  CHECK(json["verdicts"][0]["core_distances"]["far"] == 0.75);
  CHECK(json["verdicts"][0]["core_distances"]["mixed"] == 0);
  CHECK(json["verdicts"][1]["core_distances"]["near"] == 1);
  const std::string table = to_table(v);
  CHECK_THAT(table, Contains("\n      cores near 25 %, far 75 %\n"));
  CHECK_THAT(table, Contains("\n      cores near\n"));
}

TEST_CASE("like with like: where no training had its cores as calibration no error is told") {
  const Case c = case_of("sync");
  const Validation v{
      {compare_case(c, {{timed_on(c, 100, 1, CoreDistance::far)}, calibrated(c, 100, "near")})},
      1,
      0};
  CHECK_THAT(to_table(v), Contains("\nnear.\n"));
  CHECK(to_table(v).find("had them so") == std::string::npos);
}

TEST_CASE("like with like: nobody looked, so nothing is said of distances") {
  const Case c = case_of("sync");
  const Validation v{{compare_times(c, {{100}, 100})}, 1, 0};
  CHECK_FALSE(distance_shares(v));
  CHECK(to_json(v)["core_distances"].is_null());
  CHECK(to_json(v)["cases"][0]["core_distance"].is_null());
  CHECK(to_json(v)["verdicts"][0]["core_distances"].is_null());
  CHECK(to_table(v).find("cores") == std::string::npos);
}

TEST_CASE("like with like: on a machine that wandered a forecast has a range") {
  const Case c = case_of("sync");
  Record simulated = calibrated(c, 100);
  simulated.calibrated.together = {{20'000'000}, {18'000'000}, {25'000'000}};
  const Validation v{{compare_case(c, {{timed_on(c, 100, 1)}, simulated})}, 1, 0};
  const Comparison& step = metric(v.cases[0], "step_time_ms");
  CHECK(step.predicted_low == Approx(9));
  CHECK(step.predicted_high == Approx(12.5));
  const Comparison& rate = metric(v.cases[0], "gradients_per_s");
  CHECK(rate.predicted_low == Approx(rate.predicted / 1.25));
  CHECK(rate.predicted_high == Approx(rate.predicted / 0.9));
  CHECK(metric(v.cases[0], "bytes_sent").predicted_low ==
        metric(v.cases[0], "bytes_sent").predicted);
  CHECK_THAT(to_table(v), Contains("predicted 9 to 12.5, measured within\n"));
  CHECK(to_json(v)["cases"][0]["predicted_high"] == step.predicted_high);
  CHECK_THAT(cases_csv(v), Contains("step_time_ms,,10,10,10,,10,9") && Contains(",12.5,0,,\n"));
}

TEST_CASE("like with like: whether the measured value lies in the range is told") {
  const Case c = case_of("sync");
  const auto measured = [&](std::int64_t ms) {
    Record simulated = calibrated(c, 100);
    simulated.calibrated.together = {{20'000'000}, {18'000'000}, {25'000'000}};
    return Validation{{compare_case(c, {{timed_on(c, ms, 1)}, simulated})}, 1, 0};
  };
  const auto in_range = [&](std::int64_t ms) {
    return metric(measured(ms).cases[0], "step_time_ms").in_range();
  };
  CHECK(in_range(120) == true);
  CHECK(in_range(91) == true);
  CHECK(in_range(126) == false);
  CHECK(in_range(89) == false);
  CHECK(to_json(measured(126))["cases"][0]["in_range"] == false);
  CHECK_THAT(to_table(measured(126)), Contains("predicted 9 to 12.5, measured outside\n"));
}

TEST_CASE("like with like: a forecast over seeds has the medians of their ranges") {
  Validation v;
  for (const auto& [seed, ms] : {std::pair{"1", 100}, std::pair{"2", 110}, std::pair{"3", 130}}) {
    const Case c = case_with("sync", "seed", seed);
    Record simulated = calibrated(c, ms);
    simulated.calibrated.together = {{20'000'000}, {18'000'000}, {25'000'000}};
    v.cases.push_back(compare_case(c, {{timed_on(c, 100, 1)}, simulated}));
  }
  const auto groups = seed_groups(v);
  REQUIRE(groups.size() == 1);
  const auto step = std::ranges::find(groups[0].comparisons, "step_time_ms", &Comparison::metric);
  CHECK(step->predicted_low == Approx(9.9));
  CHECK(step->predicted_high == Approx(13.75));
}

TEST_CASE("like with like: on a machine that kept its speed both ends are the forecast") {
  const Case c = case_of("sync");
  const Validation v{{compare_case(c, {{timed_on(c, 100, 1)}, calibrated(c, 100)})}, 1, 0};
  const Comparison& step = metric(v.cases[0], "step_time_ms");
  CHECK(step.predicted_low == step.predicted);
  CHECK(step.predicted_high == step.predicted);
  CHECK(to_table(v).find("wanders") == std::string::npos);
  CHECK_FALSE(step.in_range());
  CHECK(to_json(v)["cases"][0]["in_range"].is_null());
}

}  // namespace foretrain
