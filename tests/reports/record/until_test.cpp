// When a target was reached, as the figures of a record tell it.
#include "reports/record/summary.h"
#include "reports/terminal/summary_table.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

using namespace literals;

/// Evaluations after 20, 40, 60 ms, the last of them of the final parameters.
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

std::string first_line(const Record& record) {
  std::string table = summary_table(record);
  table = table.substr(0, table.find("\n  "));  // it may be broken in two
  std::ranges::replace(table, '\n', ' ');
  return table;
}

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
    "time to target: in JSON it is null where it was not reached, absent where none was set") {
  CHECK(to_json(record_with({.accuracy = 0.5}))["time_to_target_s"] == 0.04);
  const auto missed = to_json(record_with({.accuracy = 0.8}));
  REQUIRE(missed.contains("time_to_target_s"));
  CHECK(missed["time_to_target_s"].is_null());
  CHECK_FALSE(to_json(record_with({})).contains("time_to_target_s"));
}

TEST_CASE("time to target: the first sentence of the summary tells it") {
  CHECK_THAT(first_line(record_with({.accuracy = 0.5})),
             Catch::Contains("; accuracy 0.5 reached after 0.04 s; test accuracy 0.7500."));
  CHECK_THAT(first_line(record_with({.accuracy = 0.97, .loss = 0.2})),
             Catch::Contains("; accuracy 0.97 or loss 0.2 not reached; test accuracy"));
  CHECK(first_line(record_with({})).find("reached") == std::string::npos);
}

}  // namespace foretrain
