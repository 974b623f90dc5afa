// Text for a terminal: widths in characters, figures with few digits.
#include "reports/record/text.h"

#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/progress.h"
#include "reports/show/terminal/tables.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace foretrain {

using namespace testing;

TEST_CASE("terminal text: characters count, not bytes") {
  CHECK(columns_of("± 1 %") == 5);
  CHECK(left("±", 3) == "±  ");
  CHECK(right("±", 3) == "  ±");
  CHECK(left("äöüäöü", 5) == "äö...");
}

TEST_CASE("terminal text: lines break at spaces, overlong words anywhere") {
  CHECK(wrap("one two") == "one two\n");
  const std::string half(50, 'a');
  CHECK(wrap(half + " " + half) == half + "\n" + half + "\n");
  CHECK(wrap(std::string(100, 'b')) == std::string(80, 'b') + "\n" + std::string(20, 'b') + "\n");
  CHECK(wrap("").empty());
}

TEST_CASE("terminal text: what is left of a long line hangs, others stay") {
  const std::string half(45, 'a');
  CHECK(hang("name  " + half + " " + half + "\n  short\n", 6) ==
        "name  " + half + "\n      " + half + "\n  short\n");
  CHECK(hang("  " + std::string(100, 'b'), 2) == "  " + std::string(100, 'b') + "\n");
}

TEST_CASE("progress: a line fits the terminal whatever its name or its figures") {
  using namespace literals;
  CHECK(progress_line("run sync", 250, 1'000, 1'500, 2_s, true) ==
        "run sync [####............]  25 %, 250/1000 steps, 1500/s, at 2.0 s, 0 s left");
  CHECK(progress_line("run sync", 250, 1'000, 100, 2_s, false) ==
        "run sync:  25 %, 250/1000 steps, 100/s, at 2.0 s, 8 s left");
  for (const bool bar : {false, true}) {
    const std::string wide =
        progress_line(std::string(90, 'n'), 123'456'789, 1'000'000'000, 1e6, 100'000_s, bar);
    CAPTURE(wide);
    CHECK(columns_of(wide) < kTerminalColumns);
  }
}

/// As small_record, its evaluation before the end takes no time.
Record evaluated_at_once(Mode mode, const std::string& strategy) {
  Record record = small_record(mode, strategy);
  record.evals.front().took = {};
  return record;
}

TEST_CASE("case table: the case that is ahead is named, each has a line") {
  CaseTable table;
  table.add(evaluated_at_once(Mode::run, "sync"));
  Record slower = evaluated_at_once(Mode::simulate, "async");
  slower.time = Duration{200'000'000};
  slower.evals.back().accuracy = 0.9;
  table.add(slower);
  const std::string text = table.text();
  INFO(text);
  CHECK_THAT(text, Catch::StartsWith(
                       "Of 2 trainings sync learns from most examples a second, 2.00 times as "
                       "many as\nasync (simulated); async (simulated) ends with the best test "
                       "accuracy, 0.9000.\n"));
  CHECK_THAT(text, Catch::Contains("\n  sync  "));
  CHECK_THAT(text, Catch::Contains("0.8750\n"));
  // Two runs are compared with each other, not with a forecast that is faster than both.
  Record slowest = evaluated_at_once(Mode::run, "ssp");
  slowest.time = Duration{300'000'000};
  table.add(slowest);
  CHECK_THAT(table.sentence(), Catch::StartsWith("Of 2 runs sync learns from most examples a "
                                                 "second, 3.00 times as many as ssp; all end with "
                                                 "a test accuracy of 0.8750, a tie."));
  CHECK_THAT(CaseTable().text(), Catch::StartsWith("0 trainings, none of which got anywhere."));
}

TEST_CASE("case table: evaluation is left out of what is compared, which the sentence says") {
  CaseTable table;
  table.add(small_record(Mode::run, "sync"));  // 5 ms of 100 ms
  table.add(evaluated_at_once(Mode::run, "ssp"));
  CHECK_THAT(
      table.sentence(),
      Catch::StartsWith("Of 2 trainings sync learns from most examples a second, 1.05 times") &&
          Catch::EndsWith(" Evaluation is left out: 5.0 % of the time of sync."));
}

TEST_CASE("terminal text: names in a list, of many the first ones") {
  CHECK(listed({"a"}) == "a");
  CHECK(listed({"a", "b"}) == "a and b");
  CHECK(listed({"a", "b", "c"}) == "a; b and c");
  CHECK(listed({"a", "b", "c", "d", "e"}) == "a; b; c and 2 more");
}

TEST_CASE("terminal text: what something costs has its currency") {
  CHECK(cost_text(12.5, "USD") == "12.50 USD");
  CHECK(cost_text(0.00125, "EUR") == "0.00125 EUR");
  CHECK(cost_text(3.0, "") == "3.00");
  CHECK(cost_text({}, "USD") == "-");
}

TEST_CASE("case table: figures that are told alike are a tie") {
  const auto run = [](const char* strategy, std::int64_t ms, double accuracy) {
    Record record = evaluated_at_once(Mode::run, strategy);
    record.time = Duration{ms * 1'000'000};
    record.evals.back().accuracy = accuracy;
    return record;
  };
  CaseTable table;
  table.add(run("sync", 100'000, 0.9));
  table.add(run("async", 100'001, 0.90001));
  CHECK_THAT(table.sentence(), Catch::StartsWith("Of 2 trainings all learn from ") &&
                                   Catch::EndsWith(" examples a second, a tie; all end with a test "
                                                   "accuracy of 0.9000, a tie."));
  table.add(run("ssp", 200'000, 0.8));
  CHECK(table.sentence() ==
        "Of 3 trainings sync and async learn from most examples a second, a tie, 2.00 times as "
        "many as "
        "ssp; sync and async end with the best test accuracy, 0.9000, a tie.");
}

TEST_CASE("case table: a target is what is asked about, not examples a second") {
  const auto run = [](const char* strategy, std::int64_t reached_ms, double target) {
    Record record = evaluated_at_once(Mode::run, strategy);
    record.scenario_case.scenario.training.until.accuracy = target;
    record.evals.front().accuracy = std::numeric_limits<double>::quiet_NaN();  // not interpolated
    record.evals.back().time = Instant{reached_ms * 1'000'000};
    record.evals.back().accuracy = reached_ms > 0 ? 0.95 : 0.5;
    return record;
  };
  CaseTable table;
  table.add(run("sync", 0, 0.9));
  table.add(run("async", 0, 0.9));
  CHECK(table.sentence() == "Of 2 trainings none reaches accuracy 0.9.");
  table.add(run("ssp", 50, 0.9));
  CHECK(table.sentence() ==
        "Of 3 trainings ssp reaches accuracy 0.9 first, after 0.05 s; sync and async do not reach "
        "it.");
  CaseTable all;
  all.add(run("sync", 50, 0.9));
  all.add(run("async", 50, 0.9));
  CHECK(all.sentence() == "Of 2 trainings all reach accuracy 0.9 after 0.05 s, a tie.");
  all.add(run("ssp", 80, 0.8));
  CHECK(
      all.sentence() ==
      "Of 3 trainings sync and async reach its target first, after 0.05 s, a tie; ssp last, after "
      "0.08 s.");
  all.add(evaluated_at_once(Mode::run, "single"));  // without a target
  CHECK_THAT(all.sentence(), Catch::Contains(" examples a second"));
}

TEST_CASE("machine sentence: models, messages, the figure that is least sure") {
  Machine machine;
  CHECK(machine_sentence(machine) == "No model was measured.");
  machine.models["softmax 784x10"].gradient = {1e-3, 1e-5};
  machine.loopback.send.overhead_s = 2e-6;
  machine.loopback.receive.overhead_s = 3e-6;
  machine.measurements = {{"loopback.send", 0.01, 5}, {"apply", 0.2, 5}};
  CHECK(machine_sentence(machine) ==
        "A gradient of 64 examples takes: softmax 784x10 1.64 ms; a message costs 5 us of CPU; "
        "least sure is apply, ± 20.0 %.");
}

TEST_CASE("terminal text: figures have four digits, unknown ones a dash") {
  CHECK(figure(0.123456) == "0.1235");
  CHECK(figure(999.94) == "999.9");
  CHECK(figure(1234.6) == "1,235");
  CHECK(figure(12345678) == "12,345,678");
  CHECK(figure(-12345.6) == "-12,346");
  CHECK(figure(std::nullopt) == "-");
  CHECK(figure(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(grouped(-123) == "-123");
  CHECK(grouped(1000) == "1,000");
}

TEST_CASE("terminal text: percentages carry their sign, zero is positive") {
  CHECK(signed_percent(-0.031) == "-3.1 %");
  CHECK(signed_percent(0.5) == "+50.0 %");
  CHECK(signed_percent(-0.0001) == "+0.0 %");
  CHECK(signed_percent(std::nullopt) == "-");
}

TEST_CASE("summary table: the sentence tells what came out") {
  const std::string table = summary_table(small_record(Mode::simulate, "sync"));
  INFO(table);
  CHECK(table.substr(0, table.find('\n')) ==
        "sync simulated: 4 gradients in 0.1 s, 40 a second; test accuracy 0.8750; a step");
  // 44 of 115 ms are compute, 11 push, 22 pull.
  CHECK_THAT(table, Catch::Contains("\nis 38 % compute, 29 % network.\n"));
  CHECK_THAT(table, Catch::Contains("25 ms, the median of 4 steps"));
  CHECK_THAT(table, Catch::Contains("server0"));
}

TEST_CASE("summary table: a failure is said first, with its reason") {
  Record record = small_record(Mode::run, "sync");
  record.outcome = Outcome::failed;
  record.failure = "worker1 was lost";
  CHECK_THAT(summary_table(record),
             Catch::StartsWith("sync run failed after 4 steps: worker1 was lost\n"));
}

TEST_CASE("summary table: of many nodes the first of each kind have a line, in their order") {
  Record record = small_record(Mode::run, "sync");
  const NodeTotals like = record.nodes.front();
  record.nodes.assign(1'000, like);
  for (int i = 0; i < 1'000; ++i) {
    NodeTotals& node = record.nodes[static_cast<std::size_t>(i)];
    node.role = i < 997 ? "worker" + std::to_string(i) : "server" + std::to_string(i - 997);
    if (i % 2 == 0) node.lost = "was killed";
  }
  const std::string table = summary_table(record);
  INFO(table);
  CHECK_THAT(table, Catch::Contains("\n  worker6 ") && !Catch::Contains("\n  worker7 "));
  CHECK_THAT(table, Catch::Contains("\n  server0 ") && Catch::Contains("\n  server2 "));
  CHECK(table.find("\n  worker6 ") < table.find("\n  server0 "));
  CHECK_THAT(table, Catch::EndsWith("\n  990 more; --nodes has a line for each\n"));
  CHECK_THAT(table, Catch::Contains("490 more; --nodes tells of each\n"));
  CHECK(std::ranges::count(table, '\n') < 45);
  const std::string all = summary_table(record, {}, NodeLines::all);
  CHECK(std::ranges::count(all, '\n') > 1'500);
  CHECK(all.find("more; --nodes") == std::string::npos);
}

TEST_CASE("summary table: no line is wider than a terminal") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("random_record(" << seed << ")");
    Record record = random_record(seed);
    record.failure += std::string(150, 'x');
    record.nodes.front().host = std::string(150, 'h');
    const std::string table = summary_table(record);
    INFO(table);
    for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
      const std::size_t end = table.find('\n', at);
      REQUIRE(end != std::string::npos);
      REQUIRE(columns_of(table.substr(at, end - at)) <= kTerminalColumns);
    }
  }
}

}  // namespace foretrain
