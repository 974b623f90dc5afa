// Findings of a sweep: gains of workers, the best case, ties, the terminal's table.
#include "reports/studies/sweep/finding.h"

#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/result_text.h"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace foretrain {
namespace {

/// Rows by workers and strategy, with examples/s.
SweepTable by_workers() {
  SweepTable sweep;
  sweep.settings = {"training.workers", "training.strategy"};
  const auto add = [&](const std::string& workers, const std::string& strategy, double rate) {
    sweep.rows.push_back({workers + " " + strategy,
                          {workers, strategy},
                          {{kBareRate, rate}, {"test_accuracy", 0.9}},
                          "simulate",
                          ""});
  };
  add("2", "sync", 200);
  add("1", "sync", 125);
  add("8", "sync", 500);
  add("1", "async", 100);
  add("4", "async", 400);
  add_gains(sweep);
  return sweep;
}

double gain(const SweepTable& sweep, std::size_t row, const char* name) {
  const auto value = figure_in(sweep.rows[row], name);
  return value ? *value : -1;
}

TEST_CASE("sweep gains: against the fewest workers of those that differ in nothing else") {
  const SweepTable sweep = by_workers();
  CHECK(gain(sweep, 0, kSpeedUp) == Approx(1.6));
  CHECK(gain(sweep, 0, kEfficiency) == Approx(0.8));
  CHECK(gain(sweep, 1, kSpeedUp) == 1);
  CHECK(gain(sweep, 2, kSpeedUp) == Approx(4));
  CHECK(gain(sweep, 2, kEfficiency) == Approx(0.5));
  CHECK(gain(sweep, 4, kSpeedUp) == Approx(4));
  CHECK(gain(sweep, 4, kEfficiency) == Approx(1));
}

TEST_CASE("sweep gains: none where no other case differs in workers alone, or one failed") {
  SweepTable sweep = by_workers();
  for (SweepTable::Row& row : sweep.rows) row.figures.erase(kSpeedUp);
  sweep.rows[3].error = "no memory";
  add_gains(sweep);
  CHECK(gain(sweep, 4, kSpeedUp) == -1);
  CHECK(gain(sweep, 3, kSpeedUp) == -1);
  CHECK(gain(sweep, 2, kSpeedUp) == Approx(4));
  SweepTable other;
  other.settings = {"training.batch_size"};
  other.rows = {{"a", {"1"}, {{kBareRate, 1}}, "", ""}};
  add_gains(other);
  CHECK_FALSE(other.rows[0].figures.contains(kSpeedUp));
}

TEST_CASE("sweep finding: without a target the most examples a second are best") {
  SweepTable sweep = by_workers();
  const SweepBest best = best_of(sweep);
  CHECK(best.rows == std::vector<std::size_t>{2});
  CHECK_FALSE(best.tie());
  CHECK(sweep_sentence(sweep) ==
        "Of 5 cases 8 sync is the fastest, 500 examples/s, 5.00 times as fast as 1 async, at an "
        "efficiency of 0.50; all end with test accuracy 0.9000.");
  sweep.rows[0].figures["test_accuracy"] = 0.95;
  CHECK_THAT(sweep_sentence(sweep),
             Catch::EndsWith("; the best test accuracy, 0.9500, is that of 2 sync."));
}

TEST_CASE("sweep finding: measured cases that are equal tie and are called a tie") {
  SweepTable sweep = by_workers();
  sweep.rows[4].figures[kBareRate] = 500.2;
  const SweepBest best = best_of(sweep);
  CHECK(best.rows == std::vector<std::size_t>{2, 4});
  CHECK(best.tie());
  CHECK_THAT(sweep_sentence(sweep),
             Catch::StartsWith("Of 5 cases it is a tie between 8 sync and 4 async: 500 "
                               "examples/s, 5.00 times as fast as 1 async"));
  const ResultTable table = sweep_result(sweep, {}).tables.at(0);
  CHECK(table.rows[2].values[1] == ResultValue("a tie"));
  CHECK(table.rows[0].values[1] == ResultValue(""));
  CHECK(table.rows[4].good == std::optional(true));
}

TEST_CASE("sweep finding: forecasts that differ by less than their error tie") {
  SweepTable sweep = by_workers();
  for (SweepTable::Row& row : sweep.rows) row.figures[kForecastError] = 0.15;
  CHECK_THAT(sweep_sentence(sweep), Catch::StartsWith("Of 5 cases 8 sync is the fastest, 500 "
                                                      "examples/s ± 15 %, 5.00 times"));
  sweep.rows[4].figures[kBareRate] = 460;
  CHECK(best_of(sweep).rows == std::vector<std::size_t>{2, 4});
  CHECK_THAT(sweep_sentence(sweep),
             Catch::StartsWith("Of 5 cases it is a tie between 8 sync and 4 async: 500 "
                               "examples/s, no difference within the forecast's error (10 %), "
                               "5.00 times as fast as 1 async"));
  sweep.rows[4].figures[kBareRate] = 440;
  CHECK(best_of(sweep).rows == std::vector<std::size_t>{2});
}

TEST_CASE("sweep finding: with a target the least time to it is best, who misses it is counted") {
  SweepTable sweep = by_workers();
  sweep.has_target = true;
  sweep.rows[3].figures[kBareTimeToTarget] = 12.5;
  sweep.rows[1].figures[kBareTimeToTarget] = 50;
  CHECK(best_of(sweep).rows == std::vector<std::size_t>{3});
  CHECK(sweep_sentence(sweep) ==
        "Of 5 cases 1 async is the fastest, 12.5 s to the target, 4.00 times as fast as 1 sync, "
        "at an efficiency of 1.00; 3 do not reach the target.");
  for (SweepTable::Row& row : sweep.rows) row.figures.erase(kBareTimeToTarget);
  CHECK(best_of(sweep).rows.empty());
  CHECK(sweep_sentence(sweep) == "Of 5 cases none reaches its target.");
}

TEST_CASE("sweep finding: the best of very many cases come first, lines fit a terminal") {
  SweepTable sweep = by_workers();
  for (int i = 0; i < 9; ++i) sweep.rows.push_back(sweep.rows[static_cast<std::size_t>(i % 5)]);
  for (SweepTable::Row& row : sweep.rows) {
    row.name += std::string(90, 'n');
    row.figures["cost"] = 12345.678;
    row.figures[kBareTimeToTarget] = 12345;
    row.currency = "USD";
  }
  const Result result = sweep_result(sweep, {"On it."});
  CHECK(std::get<std::string>(result.tables[0].rows[0].values[0]).starts_with("8 sync"));
  CHECK_THAT(result.stands_on, Catch::EndsWith("has the fewest workers. On it."));
  const std::string text = to_text(result, false);
  INFO(text);
  std::istringstream lines(text.substr(text.find("\n\n")));
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= kTerminalColumns);
  for (const char* part : {"target [s]", "examples/s", "speed-up", "effic.", "accuracy",
                           "cost [USD]", "10 of 14 rows"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace
}  // namespace foretrain
