// Intervals over seeds: their definition, their parts, their texts.
#include "reports/studies/seeds/seed_intervals.h"

#include "reports/record/files.h"
#include "reports/record/not_done.h"
#include "reports/show/terminal/result_text.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>

namespace foretrain::testing {
namespace {

/// A record with a time of `seed` milliseconds.
Record record_of(const Case& scenario_case) {
  Record record = small_record(Mode::simulate, "sync");
  record.scenario_case = scenario_case;
  record.time = {static_cast<std::int64_t>(scenario_case.scenario.seed) * 1'000'000};
  return record;
}

SeedIntervalOptions into(const TemporaryFolder& folder, int threads) {
  return {folder.path(), threads, {}};
}

TEST_CASE("bands: quantiles are interpolated between the two nearest seeds") {
  std::vector<Record> records;
  Case scenario_case = case_of("sync");
  for (const std::uint64_t ms : {1, 3, 2, 5, 4}) {
    scenario_case.scenario.seed = ms;
    records.push_back(record_of(scenario_case));
  }
  const SeedIntervals intervals = seed_intervals_of(scenario_case, records);
  const SeedInterval* time = intervals.find("time_s");
  REQUIRE(time != nullptr);
  CHECK(time->median == Approx(3e-3));
  CHECK(time->p5 == Approx(1.2e-3));
  CHECK(time->p95 == Approx(4.8e-3));
  CHECK(time->known == 5);
  CHECK(intervals.find("phases.compute_s") != nullptr);
  CHECK(intervals.find("rss_bytes_most")->median == 2'000'000);
  CHECK(intervals.find("test_auc") == nullptr);  // unknown for all seeds
  CHECK(intervals.find("name") == nullptr);
}

TEST_CASE("bands: a figure that only some seeds know says how many") {
  std::vector<Record> records(4, record_of(case_of("sync")));
  records[1].evals.clear();
  const SeedIntervals intervals = seed_intervals_of(case_of("sync"), records);
  CHECK(intervals.find("test_accuracy")->known == 3);
  CHECK(to_json(intervals).at("figures").at("test_accuracy").at("known") == 3);
  CHECK_FALSE(to_json(intervals).at("figures").at("time_s").contains("known"));
  CHECK_THAT(to_csv(seed_intervals_table(intervals)),
             Catch::Contains("\ntest_accuracy,0.875,0.875,0.875,3\n"));
}

TEST_CASE("bands: seeds follow each other and every one is simulated once") {
  const int threads = GENERATE(1, 3);
  CAPTURE(threads);
  const TemporaryFolder folder;
  Case scenario_case = case_of("sync");
  scenario_case.scenario.seed = 7;
  std::array<std::atomic<int>, 12> simulated{};
  std::int64_t last_done = 0;
  SeedIntervalOptions options = into(folder, threads);
  options.progress = [&](std::int64_t done, std::int64_t all) {
    CHECK(all == 12);
    last_done = done;
  };
  const SeedIntervals intervals =
      simulate_seed_intervals(scenario_case, 12, options, [&](const Case& each) {
        ++simulated.at(each.scenario.seed - 7);
        return record_of(each);
      });
  CHECK(std::ranges::all_of(simulated, [](const auto& times) { return times == 1; }));
  CHECK(last_done == 12);
  CHECK(intervals.find("time_s")->median == Approx(12.5e-3));
  CHECK(read_record(folder.path() / "seed=9").scenario_case.scenario.seed == 9);
  const TemporaryFolder alone;
  CHECK(to_csv(seed_intervals_table(
            simulate_seed_intervals(scenario_case, 12, into(alone, 1), record_of))) ==
        to_csv(seed_intervals_table(intervals)));
}

TEST_CASE("bands: a seed that is not done ends the others and its record is kept") {
  const TemporaryFolder folder;
  const auto simulate = [](const Case& each) {
    Record record = record_of(each);
    if (each.scenario.seed == 3) {
      record.outcome = Outcome::failed;
      record.failure = "worker1: it is too late";
    }
    return record;
  };
  CHECK_THROWS_WITH(simulate_seed_intervals(case_of("sync"), 1'000, into(folder, 2), simulate),
                    Catch::StartsWith("seed 3: worker1: it is too late; its record so far is in "));
  CHECK(read_record(folder.path() / "seed=3").outcome == Outcome::failed);
}

TEST_CASE("bands: a number of seeds out of range is refused") {
  CHECK_THROWS_WITH(seeds_of(case_of("sync"), 0), "--seeds 0: write 1 to 10000");
  CHECK_THROWS_AS(seeds_of(case_of("sync"), -3), InputError);
  CHECK_THROWS_AS(seeds_of(case_of("sync"), kMostSeeds + 1), InputError);
  Case last = case_of("sync");
  last.scenario.seed = ~std::uint64_t{0} - 1;
  CHECK(seeds_of(last, 2).size() == 2);
  CHECK_THROWS_AS(seeds_of(last, 3), InputError);
}

TEST_CASE(
    "bands: that they are no prediction intervals stands beside them, and what they rest on") {
  const TemporaryFolder folder;
  Case scenario_case = case_of("sync");
  scenario_case.scenario.seed = 1;
  const SeedIntervals intervals =
      simulate_seed_intervals(scenario_case, 3, into(folder, 1), [](const Case& each) {
        Record record = record_of(each);
        record.basis = {{ComputeBasis::From::given, "20 ms", "", 0, 0, false, {"n"}}};
        return record;
      });
  CHECK_THAT(intervals.stands_on,
             Catch::StartsWith("Assumptions: compute times of n are given by the scenario"));
  CHECK_THAT(
      seed_intervals_result(intervals).stands_on,
      Catch::StartsWith("These are no prediction intervals") && Catch::Contains(". Assumptions: "));
  CHECK(to_json(intervals).at("stands_on") == intervals.stands_on);
  CHECK_THAT(to_json(intervals).at("what_bands_are").get<std::string>(),
             Catch::Contains("not the error of the forecast"));
}

TEST_CASE("bands: the sentence has the time, people see ten figures unasked, none that is zero") {
  const std::vector<Record> records(3, record_of(case_of("sync")));
  const std::string text =
      to_text(seed_intervals_result(seed_intervals_of(case_of("sync"), records)), false);
  INFO(text);
  CHECK_THAT(text, Catch::StartsWith("sync simulated with the 3 seeds from ") &&
                       Catch::Contains(" rows; --full has all.") && !Catch::Contains("refused"));
  CHECK(std::ranges::count(text, '\n') <= 20);
}

}  // namespace
}  // namespace foretrain::testing
