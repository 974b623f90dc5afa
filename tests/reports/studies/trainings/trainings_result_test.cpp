// Results of trainings: ranking, ties, figures, nodes.
#include "reports/studies/trainings/trainings_result.h"

#include "reports/record/wrapped_text.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

namespace foretrain::testing {
namespace {

/// A training without the time of its first evaluation.
Record training_of(Mode mode, const std::string& strategy, std::int64_t ms = 100,
                   double accuracy = 0.875) {
  Record record = small_record(mode, strategy);
  record.evals.front().took = {};
  record.time = Duration{ms * 1'000'000};
  record.evals.back().accuracy = accuracy;
  return record;
}

std::string compared(const std::vector<Record>& records) { return result_of(records).sentence; }

TEST_CASE("trainings: the one that is ahead is named, each has a row; runs before forecasts") {
  std::vector<Record> records{training_of(Mode::run, "sync"),
                              training_of(Mode::simulate, "async", 200, 0.9)};
  CHECK(compared(records) ==
        "Of 2 trainings sync run is the fastest, 1,280 examples/s, 2.00 times as many as async "
        "simulated; async simulated has the best test accuracy, 0.9000.");
  const Result result = result_of(records);
  REQUIRE(result.tables.front().rows.size() == 2);
  CHECK_THAT(to_csv(result.tables.front()),
             Catch::Contains("\nasync simulated,0.2,,0.17 to 0.23,"));
  records.push_back(training_of(Mode::run, "ssp", 300));
  CHECK_THAT(compared(records),
             Catch::StartsWith(
                 "Of 2 runs sync run is the fastest, 1,280 examples/s, 3.00 times as many as ssp "
                 "run"));
  CHECK(compared({}) == "0 trainings, none of which completed a step.");
}

TEST_CASE("trainings: evaluation is left out of what is compared, which the sentence says") {
  CHECK_THAT(compared({small_record(Mode::run, "sync"), training_of(Mode::run, "ssp")}),
             Catch::StartsWith(
                 "Of "
                 "2 trainings sync is the fastest, 1,347 examples/s, 1.05 times as many as ssp") &&
                 Catch::EndsWith(" Times are without evaluation, which takes 5.0 % of sync."));
}

TEST_CASE("trainings: runs whose figures read the same are a tie") {
  std::vector<Record> records{training_of(Mode::run, "sync", 100'000, 0.9),
                              training_of(Mode::run, "async", 100'001, 0.90001)};
  CHECK_THAT(compared(records),
             Catch::StartsWith("Of 2 trainings none is clearly the fastest: ") &&
                 Catch::EndsWith(" examples/s, a tie; all reach the same test accuracy, 0.9000."));
  records.push_back(training_of(Mode::run, "ssp", 200'000, 0.8));
  CHECK(compared(records) ==
        "Of 3 trainings sync and async are the fastest, 1.28 examples/s, a tie, 2.00 times as many "
        "as ssp; async and sync have the best test accuracy, 0.9000.");
}

TEST_CASE("trainings: forecasts that differ by less than their error are no different") {
  std::vector<Record> records{training_of(Mode::simulate, "sync", 1'000),
                              training_of(Mode::simulate, "async", 1'050)};
  CHECK_THAT(compared(records),
             Catch::StartsWith(
                 "Of 2 trainings none is clearly the fastest: sync 128, async 121.9 examples/s (no "
                 "difference within the forecast's error, 10 %); "));
  records.push_back(training_of(Mode::simulate, "ssp", 2'000));
  CHECK_THAT(compared(records),
             Catch::StartsWith(
                 "Of 3 trainings sync and async are the fastest, 128 examples/s (no difference "
                 "within the forecast's error, 10 %), 2.00 times as many as ssp; "));
  records[1].time = Duration{1'200'000'000};
  CHECK_THAT(
      compared(records),
      Catch::StartsWith("Of 3 trainings sync is the fastest, 128 examples/s (111.3 to 150.6), 2.00 "
                        "times"));
}

TEST_CASE("trainings: a target is what is asked about, not examples a second") {
  const auto run = [](const char* strategy, std::int64_t reached_ms, double target,
                      Mode mode = Mode::run) {
    Record record = training_of(mode, strategy);
    record.scenario_case.scenario.training.until.accuracy = target;
    record.evals.front().accuracy = std::numeric_limits<double>::quiet_NaN();  // not interpolated
    record.evals.back().time = Instant{reached_ms * 1'000'000};
    record.evals.back().accuracy = reached_ms > 0 ? 0.95 : 0.5;
    return record;
  };
  std::vector<Record> some{run("sync", 0, 0.9), run("async", 0, 0.9)};
  CHECK(compared(some) == "Of 2 trainings none reaches accuracy 0.9.");
  some.push_back(run("ssp", 50, 0.9));
  CHECK(compared(some) ==
        "Of 3 trainings ssp reaches accuracy 0.9 first, after 0.05 s; sync and async do not reach "
        "it.");
  std::vector<Record> all{run("sync", 50, 0.9), run("async", 50, 0.9)};
  CHECK(compared(all) == "Of 2 trainings all reach accuracy 0.9 after 0.05 s, a tie.");
  all.push_back(run("ssp", 80, 0.8));
  CHECK(compared(all) ==
        "Of 3 trainings sync and async reach its target first, after 0.05 s, a tie; ssp last, "
        "after 0.08 s.");
  all.push_back(training_of(Mode::run, "single"));  // without a target
  CHECK_THAT(compared(all), Catch::Contains(" examples/s"));
  CHECK(
      compared({run("sync", 50, 0.9, Mode::simulate), run("ssp", 80, 0.9, Mode::simulate)}) ==
      "Of 2 trainings sync reaches accuracy 0.9 first, after 0.05 s (0.0425 to 0.0575); ssp last, "
      "after 0.08 s.");
}

TEST_CASE("trainings: of one the sentence tells what came out, then its ten first figures") {
  const std::vector<Record> one{small_record(Mode::simulate, "sync")};
  const std::string told = told_of(one);
  INFO(told);
  CHECK_THAT(told, Catch::StartsWith("sync simulated: 4 gradients in 0.1 s (0.085 to 0.115), 40 a "
                                     "second; test\naccuracy 0.8750; a step is 38 % compute, 29 % "
                                     "network.\n\n figure"));
  CHECK_THAT(to_csv(result_of(one).tables.front()), Catch::Contains("\nstep [ms],25\n"));
  CHECK_THAT(told, Catch::Contains("rows; --full has all.") && !Catch::Contains("server0"));
  CHECK_THAT(told_of(one, true),
             Catch::Contains("\n server0 ") && Catch::Contains("\n compute [of a step]"));
  // With several records, each has its rows there.
  const std::vector<Record> two{small_record(Mode::run, "sync"), small_record(Mode::run, "async")};
  const ResultTable figures = result_of(two).tables.at(1);
  CHECK(figures.full);
  CHECK_THAT(to_csv(figures), Catch::Contains("\nasync,compute [of a step],38.3 %\n"));
}

TEST_CASE("trainings: a failure is said first, with its reason") {
  Record record = small_record(Mode::run, "sync");
  record.outcome = Outcome::failed;
  record.failure = "worker1 was lost";
  CHECK_THAT(compared({record}),
             Catch::StartsWith("sync run failed after 4 steps: worker1 was lost"));
  CHECK_THAT(compared({small_record(Mode::run, "async"), record}),
             Catch::StartsWith("sync run failed after 4 steps: worker1 was lost") &&
                 Catch::Contains(" Of 2 trainings "));
}

TEST_CASE("trainings: thirty lines at most; all nodes and what became of them with full") {
  Record record = small_record(Mode::run, "sync");
  record.nodes.assign(1'000, record.nodes.front());
  for (int i = 0; i < 1'000; ++i) {
    NodeTotals& node = record.nodes[static_cast<std::size_t>(i)];
    node.role = "worker" + std::to_string(i);
    if (i % 2 == 0) node.lost = "was killed";
  }
  CHECK(std::ranges::count(told_of({record}), '\n') < 20);
  const std::string all = told_of({record}, true);
  CHECK(std::ranges::count(all, '\n') > 1'000);
  CHECK_THAT(to_csv(result_of({record}).tables.back()), Catch::Contains(",lost: was killed\n"));
  CHECK_THAT(to_csv(result_of({record}).tables.front()), Catch::Contains(" and 497 more\n"));
  const std::vector<Record> many(50, small_record(Mode::simulate, "sync"));
  CHECK(std::ranges::count(told_of(many), '\n') < 28);
  CHECK_THAT(told_of(many), Catch::Contains("\n sync (10) ") && !Catch::Contains("\n sync (11) "));
}

TEST_CASE("trainings: no line is wider than a terminal") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("random_record(" << seed << ")");
    Record record = random_record(seed);
    record.failure += std::string(150, 'x');
    record.nodes.front().host = std::string(150, 'h');
    const std::string table = told_of({record});
    INFO(table);
    for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
      const std::size_t end = table.find('\n', at);
      REQUIRE(end != std::string::npos);
      REQUIRE(columns_of(table.substr(at, end - at)) <= kTerminalColumns);
    }
  }
}

}  // namespace
}  // namespace foretrain::testing
