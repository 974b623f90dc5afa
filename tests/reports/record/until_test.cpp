// The time to a target in a record's figures.
#include "reports/record/summary.h"
#include "reports/studies/trainings/trainings_result.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <limits>
#include <vector>

namespace foretrain {
namespace {

using namespace literals;

/// Evaluations after 20, 40, 60 ms, the last one of the final parameters.
Record record_with(const Target& target) {
  Record record = testing::small_record(Mode::simulate, "sync");
  record.scenario_case.scenario.training.until = target;
  record.evals.clear();
  for (int i = 1; i <= 3; ++i) {
    EvalReport eval;
    eval.time = Instant{} + 20_ms * i;
    eval.took = 5_ms;
    eval.loss = 2.0 - 0.5 * i;
    eval.accuracy = 0.25 * i;
    eval.final = i == 3;
    record.evals.push_back(eval);
  }
  return record;
}

std::string first_line(const Record& record) { return result_of({record}).sentence; }

}  // namespace

TEST_CASE("time to target: the first evaluation that reached it began then") {
  CHECK(summarize(record_with({.accuracy = 0.5})).time_to_target_s == 0.04);
  CHECK(summarize(record_with({.loss = 1.5})).time_to_target_s == 0.02);
  CHECK(summarize(record_with({.accuracy = 0.7, .loss = 1.2})).time_to_target_s == 0.04);
  CHECK(summarize(record_with({.accuracy = 0.7})).time_to_target_s == 0.06);  // the final one
  CHECK_FALSE(summarize(record_with({.accuracy = 0.8})).time_to_target_s.has_value());
  CHECK_FALSE(summarize(record_with({})).time_to_target_s.has_value());
}

TEST_CASE(
    "time to target: one that only the end shows was passed unseen where nobody looked long") {
  const Target target{.accuracy = 0.7};  // met by the final evaluation
  const auto seen = [&](std::int64_t first, std::int64_t second, std::int64_t last) {
    Record record = record_with(target);
    record.evals[0].version = {first};
    record.evals[1].version = {second};
    record.evals[2].version = {last};
    const bool interpolated =
        interpolated_time_to_target_s(record, EvaluationTime::counted).has_value();
    CHECK(summarize(record).time_to_target_s.has_value() == interpolated);
    return interpolated;
  };
  CHECK(seen(10, 20, 30));
  CHECK(seen(10, 20, 40));
  CHECK_FALSE(seen(10, 20, 41));
  Record once = record_with(target);
  once.evals.erase(once.evals.begin(), once.evals.begin() + 2);
  once.evals[0].version = {30};
  CHECK_FALSE(summarize(once).time_to_target_s.has_value());
}

TEST_CASE("time to target: between two evaluations it is on the line from one to the other") {
  const auto reached = [](const Target& target) {
    return interpolated_time_to_target_s(record_with(target), EvaluationTime::counted);
  };
  // After 20, 40, 60 ms accuracy is 0.25, 0.5, 0.75, loss 1.5, 1, 0.5.
  CHECK(reached({.accuracy = 0.5}).value() == Approx(0.04));
  CHECK(reached({.accuracy = 0.55}).value() == Approx(0.044));
  CHECK(reached({.loss = 0.75}).value() == Approx(0.05));
  CHECK(reached({.accuracy = 0.3, .loss = 1.4}).value() == Approx(0.024));  // the first one counts
  CHECK(reached({.accuracy = 0.2}).value() == Approx(0.02));  // no earlier value is known
  CHECK_FALSE(reached({.accuracy = 0.8}).has_value());
  CHECK_FALSE(reached({}).has_value());
  Record unjudged = record_with({.accuracy = 0.3});
  unjudged.evals[0].accuracy = std::numeric_limits<double>::quiet_NaN();
  CHECK(interpolated_time_to_target_s(unjudged, EvaluationTime::counted).value() == Approx(0.04));
}

TEST_CASE("time to target: evaluations are taken off the clock, of async by their share of it") {
  // The evaluations after 20 and 40 ms take 5 ms each.
  const auto bare = [](const Record& record) {
    return interpolated_time_to_target_s(record, EvaluationTime::left_out).value();
  };
  CHECK(bare(record_with({.accuracy = 0.25})) == Approx(0.02));
  CHECK(bare(record_with({.accuracy = 0.5})) == Approx(0.035));
  CHECK(bare(record_with({.accuracy = 0.75})) == Approx(0.05));
  const Summary sync = summarize(record_with({.accuracy = 0.75}));
  CHECK(sync.evaluate_s == Approx(0.01));
  CHECK(sync.bare_time_to_target_s.value() == Approx(0.05));
  CHECK(sync.bare_examples_per_s.value() == Approx(sync.examples_per_s.value() * 0.1 / 0.09));
  // The other one of two workers makes gradients meanwhile.
  Record async = record_with({.accuracy = 0.75});
  async.scenario_case.scenario.training.strategy = "async";
  CHECK(bare(async) == Approx(0.055));
  async.scenario_case.scenario.framework.evaluation = "all";
  CHECK(bare(async) == Approx(0.05));
  async.scenario_case.scenario.framework.evaluation = "nobody";
  CHECK(bare(async) == Approx(0.06));
  CHECK_THAT(to_csv(result_of({record_with({})}).tables.front()),
             Catch::Contains("\nevaluation [s],0.01\n"));
}

TEST_CASE("time to target: it is reached at the end at the latest") {
  Record record = record_with({.accuracy = 0.75});
  record.time = 50_ms;  // the final evaluation begins later
  CHECK(summarize(record).time_to_target_s.value() == 0.05);
}

TEST_CASE(
    "time to target: in JSON it is null where it was not reached, absent where none was set") {
  CHECK(to_json(record_with({.accuracy = 0.5}))["time_to_target_s"] == 0.04);
  const auto missed = to_json(record_with({.accuracy = 0.8}));
  REQUIRE(missed.contains("time_to_target_s"));
  CHECK(missed["time_to_target_s"].is_null());
  CHECK_FALSE(to_json(record_with({})).contains("time_to_target_s"));
}

TEST_CASE("time to target: the first sentence of the summary tells it") {
  CHECK_THAT(first_line(record_with({.accuracy = 0.5})),
             Catch::Contains(
                 "; accuracy 0.5 reached after 0.04 s (0.034 to 0.046); test accuracy 0.7500;"));
  CHECK_THAT(first_line(record_with({.accuracy = 0.97, .loss = 0.2})),
             Catch::Contains("; accuracy 0.97 or loss 0.2 not reached; test accuracy"));
  CHECK(first_line(record_with({})).find("reached") == std::string::npos);
}

TEST_CASE("time to target: the summary says where it was passed unseen, and what to lower") {
  // There is no evaluation from update 20 to update 60: only the last evaluation has 0.75.
  Record record = record_with({.accuracy = 0.7});
  const std::vector<std::int64_t> versions{10, 20, 60};
  for (std::size_t i = 0; i < versions.size(); ++i) record.evals[i].version = {versions[i]};
  CHECK(passed_unseen({.accuracy = 0.7}, summarize(record)));
  const std::string told = first_line(record);
  CHECK_THAT(
      told,
      Catch::Contains(
          "; accuracy 0.7 was reached between two evaluations, so the time is not known; lower "
          "training.evaluate_every; test accuracy 0.7500"));
  CHECK(told.find("not reached") == std::string::npos);
  // A target that was not reached, one that was seen, none at all.
  CHECK_FALSE(passed_unseen({.accuracy = 0.8}, summarize(record)));
  CHECK_FALSE(passed_unseen({.accuracy = 0.5}, summarize(record_with({.accuracy = 0.5}))));
  CHECK_FALSE(passed_unseen({}, summarize(record)));
}

}  // namespace foretrain
