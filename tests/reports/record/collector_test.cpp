// Totals of steps whose rows are not stored.
#include "reports/record/collector.h"

#include "models/base/random.h"
#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "scenarios/resolve/read.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <vector>

namespace foretrain {
namespace {

using namespace testing;
using namespace literals;

/// A step of this many ns in all plus an evaluation, with unequal phases.
StepReport step_of(std::int64_t ns) {
  StepReport step;
  step.start = {17};
  step.phases = {{ns - 4 * (ns / 7)}, {ns / 7}, {ns / 7}, {ns / 7}, {ns / 7}, 1_s};
  step.staleness = ns % 5;
  return step;
}

Record summary_of(Record record) {
  keep_summary(record);
  return record;
}

}  // namespace

TEST_CASE("step tally: the median is that of the sorted lengths without evaluations") {
  for (const std::vector<std::int64_t>& lengths : std::vector<std::vector<std::int64_t>>{
           {5}, {9, 2}, {3, 8, 1}, {40, 10, 30, 21}, {7, 7, 7, 100, 7}, {6, 5, 4, 3, 2, 1}}) {
    StepTally tally;
    for (const std::int64_t ns : lengths) tally.add(step_of(ns));
    std::vector<std::int64_t> sorted = lengths;
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    const std::int64_t median =
        sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    CAPTURE(lengths);
    CHECK(tally.totals().median == Duration{median});
    CHECK(tally.totals().steps == std::ssize(lengths));
  }
}

TEST_CASE("step tally: phases and staleness add up and more may be added after a look") {
  StepTally tally;
  CHECK(tally.totals().steps == 0);
  CHECK(tally.totals().median == Duration{});
  tally.add(step_of(14));
  CHECK(tally.totals().median == 14_ns);
  tally.add(step_of(21));
  const StepTotals totals = tally.totals();
  CHECK(totals.sum.compute == Duration{6 + 9});
  CHECK(totals.sum.push == Duration{2 + 3});
  CHECK(totals.sum.wait == Duration{2 + 3});
  CHECK(totals.sum.apply == Duration{2 + 3});
  CHECK(totals.sum.pull == Duration{2 + 3});
  CHECK(totals.sum.evaluate == 2_s);
  CHECK(totals.staleness == 4 + 1);
}

TEST_CASE("step tally: of very many steps the median is as good as a thousandth") {
  StepTally tally;
  std::vector<std::int64_t> lengths;
  Stream draw(1, "test.lengths");
  for (std::size_t i = 0; i < StepTally::kExact + 1'001; ++i) {
    lengths.push_back(static_cast<std::int64_t>(3'000'000 * (0.5 + draw.uniform())));
    tally.add(step_of(lengths.back()));
  }
  std::ranges::sort(lengths);
  const double median = static_cast<double>(lengths[lengths.size() / 2]);
  CHECK(static_cast<double>(tally.totals().median.ns) == Approx(median).epsilon(1e-3));
  CHECK(tally.totals().steps == std::ssize(lengths));
  StepTally short_ones;  // each in its own bucket
  for (std::size_t i = 0; i <= 2 * StepTally::kExact; ++i) {
    short_ones.add(step_of(i % 2 == 0 ? 700 : 14));
  }
  CHECK(short_ones.totals().median == 700_ns);
}

TEST_CASE("row tally: nodes that told nothing get what their rows come to, others keep theirs") {
  Record record = small_record(Mode::run, "sync");
  record.outcome = Outcome::failed;
  record.updates = record.gradients = 0;
  record.time = {};
  record.nodes[0] = {"worker0", "localhost", 0, 0, {}, {}, {}};
  RowTally tally;
  tally.add(record);
  CHECK(tally.step_count() == 4);
  CHECK(tally.furthest() == 2);
  tally.fill_in(record);
  CHECK(record.nodes[0].tx == Bytes{300});
  CHECK(record.nodes[0].cpu_s == Approx(0.05));
  CHECK(record.nodes[2].tx == Bytes{1'000});
  CHECK(record.gradients == 4);
  CHECK(record.updates == 2);
  CHECK(record.time == 70_ms);
  record.scenario_case.scenario.training.strategy = "async";
  tally.fill_in(record);
  CHECK(record.updates == 4);
}

TEST_CASE("row tally: figures of a damaged table stay the largest that there are") {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  Record rows = small_record(Mode::run, "sync");
  for (UsageRow& row : rows.usage) row.node = 1;
  for (UsageRow& row : rows.usage) row.tx = row.rx = {kMost};
  for (StepRow& row : rows.steps) row.report.staleness = kMost;
  rows.steps.front().report.step = {kMost};
  RowTally tally;
  tally.add(rows);
  CHECK(tally.furthest() == kMost);
  CHECK(tally.steps().staleness == kMost);
  Record record = small_record(Mode::run, "sync");
  record.nodes[1] = {};
  tally.fill_in(record);
  CHECK(record.nodes[1].tx == Bytes{kMost});
  CHECK(record.nodes[1].rx == Bytes{kMost});
}

TEST_CASE("record summary: figures are those of the rows that it leaves out") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("random_record(" << seed << ")");
    const Record record = random_record(seed);
    const Record summary = summary_of(record);
    CHECK(summary.steps.empty());
    CHECK(summary.usage.empty());
    CHECK(summary.inputs.empty());
    CHECK(summary.evals.size() == record.evals.size());
    REQUIRE(summary.step_totals);
    CHECK(summary.step_totals->steps == std::ssize(record.steps));
    CHECK(to_json(summary).dump() == to_json(record).dump());
    CHECK(summary_of(summary) == summary);  // nothing is counted twice
  }
}

TEST_CASE("record summary: it reads back equal from two files with what was judged") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("random_record(" << seed << ")");
    const Record record = summary_of(random_record(seed));
    const TemporaryFolder folder;
    write_record(record, folder.path());
    CHECK(read_record(folder.path()) == record);
    const std::filesystem::directory_iterator files(folder.path());
    CHECK(std::distance(begin(files), end(files)) -
              std::filesystem::exists(folder.path() / "tensorboard") ==
          2);
  }
}

TEST_CASE("record summary: an older record's rows go and come back with a whole record") {
  const TemporaryFolder folder;
  Record whole = small_record(Mode::run, "async");
  whole.inputs.push_back({});
  write_record(whole, folder.path());
  REQUIRE(std::filesystem::exists(folder.path() / "inputs.bin"));
  const Record summary = summary_of(whole);
  write_record(summary, folder.path());
  CHECK(read_record(folder.path()) == summary);
  for (const char* file : {"steps.csv", "usage.csv", "inputs.bin", "timeline.json"}) {
    CAPTURE(file);
    CHECK_FALSE(std::filesystem::exists(folder.path() / file));
  }
  write_record(whole, folder.path());
  CHECK(read_record(folder.path()) == whole);
}

TEST_CASE("record summary: totals that are damaged are reported with their key") {
  const TemporaryFolder folder;
  write_record(summary_of(small_record(Mode::run, "sync")), folder.path());
  const auto file = folder.path() / "run.json";
  std::string text = read_text(file);
  const std::size_t at = text.find("\"median_ns\"");
  REQUIRE(at != std::string::npos);
  write_text(file, text.replace(at, 11, "\"medium_ns\""));
  CHECK_THROWS_WITH(read_record(folder.path()), Catch::Contains("median_ns"));
}

}  // namespace foretrain
