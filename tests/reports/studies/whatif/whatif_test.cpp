// What-if as text, as JSON.
#include "reports/record/json_object.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/result_text.h"
#include "reports/studies/whatif/whatif_data.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>

namespace foretrain::testing {
namespace {

Change change(const std::string& name, double time_s) {
  Change change;
  change.name = name;
  change.what = "twice of something";
  change.time_s = time_s;
  return change;
}

// Ten seconds, six of them at the server's NIC.
WhatIf made_up() {
  WhatIf whatif;
  whatif.scenario_case = case_of("sync");
  whatif.measure = "1,000 examples";
  whatif.stands_on = "Assumptions: a key.";
  whatif.time_s = 10;
  whatif.cost = 0.0125;
  whatif.path_s = 10;
  whatif.path = {{"server NIC in", 6, 0.6}, {"worker CPU", 4, 0.4}};
  whatif.limit = {"server NIC", 0.6, "", "server NIC 2x"};
  whatif.changes = {change("strategy all_reduce", 4), change("server NIC 2x", 7),
                    change("half the latency", 10), change("double batch", 0)};
  whatif.changes[1].elasticity = 0.6;
  whatif.changes[1].free_time_s = 4;
  whatif.changes[1].cost = 0.00875;
  whatif.changes[3].time_s.reset();
  whatif.changes[3].why_not = "compute: fixes the time of a gradient, whatever the batch size";
  whatif.crossovers = {{"From how many workers on?", "From 4.", 4}};
  whatif.verified = Verified{"one more server", 3, 9, 6, 10, 5.4};
  whatif.phases = {{"compute", 0.01, 0.011, 0.02}};
  whatif.recorded = "of a run on this machine";
  return whatif;
}

Result result_in(const WhatIf& whatif) {
  const auto json = to_json(whatif);
  return whatif_result(JsonObject(json, "whatif:"));
}

std::string text_of(const WhatIf& whatif) { return to_text(result_in(whatif), true); }

std::string cell_of(const WhatIf& whatif, std::size_t row, const std::string& column) {
  const ResultTable table = result_in(whatif).tables.front();
  const auto place = std::ranges::find(table.columns, column, &ResultColumn::name);
  const auto number = static_cast<std::size_t>(place - table.columns.begin());
  return cell_text(table.rows.at(row).values.at(number), place->kind);
}

TEST_CASE("whatif text: the first sentence says what limits it and what helps most") {
  CHECK(first_sentence(made_up()) ==
        "sync: server NIC limits it, 60 % of the critical path; twice of something saves 30 % of "
        "10 s (10 s to 10 s) for 1,000 examples; most is saved by strategy all_reduce, 60 %.");
}

TEST_CASE("whatif text: what is within the forecast's error is no finding") {
  WhatIf whatif = made_up();
  whatif.range = {0.6, 1.4, 0.4};
  CHECK(first_sentence(whatif) ==
        "sync: server NIC limits it, 60 % of the critical path; twice of something saves no more "
        "than the forecast's error, 40 %, of 10 s (6 s to 14 s) for 1,000 examples; most is saved "
        "by strategy all_reduce, 60 %.");
  whatif.changes[1].time_s = 5;  // as good as the best within the error
  CHECK(
      first_sentence(whatif).ends_with("; twice of something saves 50 % of 10 s (6 s to 14 s) "
                                       "for 1,000 examples."));
  whatif.changes[1].name = "another";
  CHECK(first_sentence(whatif).ends_with(
      "; it takes 10 s (6 s to 14 s) for 1,000 examples; most is saved by strategy all_reduce, "
      "60 %, as much as by another within the forecast's error, 40 %."));
  whatif.range = {0.1, 1.9, 0.9};
  CHECK(first_sentence(whatif).ends_with("; it takes 10 s (1 s to 19 s) for 1,000 examples."));
}

TEST_CASE("whatif text: a resource whose other order of work takes longer is no advice") {
  WhatIf whatif = made_up();
  whatif.changes[1].time_s = 11.2;
  whatif.changes[1].reordered = true;
  whatif.changes[0].name = "one worker 30 % slower";
  whatif.changes[0].reordered = true;
  CHECK(first_sentence(whatif) ==
        "sync: server NIC limits it, 60 % of the critical path; it takes 10 s (10 s to 10 s) for "
        "1,000 examples.");
  const auto json = to_json(whatif);
  CHECK(json["changes"][1]["saved"].is_null());
  CHECK(json["changes"][1]["reordered"] == true);
  CHECK(cell_of(whatif, 2, "saved") == "reordered");
}

TEST_CASE("whatif text: a strategy that learns otherwise says so, unless a target says how long") {
  WhatIf whatif = made_up();
  whatif.changes[0].name = "strategy local_sgd";
  whatif.changes[0].statistical_efficiency = "workers drift apart";
  CHECK(first_sentence(whatif).ends_with(
      "most is saved by strategy local_sgd, 60 %, at another statistical efficiency."));
  CHECK(text_of(whatif).find("strategy local_sgd: statistical efficiency: workers drift apart\n") !=
        std::string::npos);
  whatif.scenario_case.scenario.training.until.accuracy = 0.9;
  CHECK(first_sentence(whatif).ends_with("most is saved by strategy local_sgd, 60 %."));
}

TEST_CASE("whatif text: all of it fits 80 columns, what is told unasked 30 lines") {
  WhatIf whatif = made_up();
  whatif.changes[0].staleness_mean = 2.96;
  whatif.queued = 0.2;
  for (int i = 0; i < 20; ++i) whatif.changes.push_back(change("another", 11));
  const std::string text = text_of(whatif);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(columns_of(line) <= kTerminalColumns);
  }
  for (const char* part :
       {"server NIC in", "+30.0 %", "0.00875", "2.96", "From 4.", "as it is",
        "double batch: not tried: compute: fixes", "-10.0 %", "compute", "Simulated. Assumptions",
        "20 % of the critical path is waiting for a busy core"}) {
    CAPTURE(part, text);
    CHECK(text.find(part) != std::string::npos);
  }
  const std::string brief = to_text(result_in(whatif), false);
  CHECK(std::ranges::count(brief, '\n') <= 24);
  CHECK(brief.find("10 of 25 rows; --full has all.") != std::string::npos);
}

TEST_CASE("whatif text: what --crossover asks is told first, what is found unasked with --full") {
  WhatIf whatif = made_up();
  whatif.verified.reset();
  const auto told = [&] { return to_text(result_in(whatif), false).find("From 4."); };
  CHECK(told() == std::string::npos);
  whatif.crossovers[0].asked = true;
  CHECK(told() != std::string::npos);
}

// The time to the target is unknown for the unchanged scenario, which takes ten seconds.
WhatIf without_time() {
  WhatIf whatif = made_up();
  whatif.scenario_case.scenario.training.until.accuracy = 0.9;
  whatif.measure = "accuracy 0.9";
  whatif.time_s.reset();
  whatif.no_time =
      "accuracy 0.9 is not reached in 100 steps (best: 0.83); raise training.steps, or leave the "
      "target out";
  for (Change& each : whatif.changes) {
    each.time_s.reset();
    each.free_time_s.reset();
    each.elasticity.reset();
  }
  return whatif;
}

TEST_CASE("whatif text: a target that is not reached is said first, then the critical path") {
  const WhatIf whatif = without_time();
  const std::string sentence =
      "sync: server NIC limits it, 60 % of the critical path; accuracy 0.9 is not reached in 100 "
      "steps (best: 0.83); raise training.steps, or leave the target out.";
  CHECK(first_sentence(whatif) == sentence);
  const auto json = to_json(whatif);
  CHECK(json["limit"]["sentence"] == sentence);
  CHECK(json["time_s"].is_null());
  CHECK(json["changes"].size() == 4);
  const std::string brief = to_text(result_in(whatif), false);
  CHECK(brief.find("critical path") != std::string::npos);
  CHECK(brief.find("as it is") == std::string::npos);
}

TEST_CASE("whatif json: figures that are not known are null") {
  const auto json = to_json(made_up());
  CHECK(json["limit"]["resource"] == "server NIC");
  CHECK(json["path"][0]["share"] == 0.6);
  CHECK(json["changes"][1]["saved"] == Approx(0.3));
  CHECK(json["changes"][1]["elasticity"] == 0.6);
  CHECK(json["changes"][3]["time_s"].is_null());
  CHECK(json["crossovers"][0]["value"] == 4);
  CHECK(json["time_s_high"] == 10);
  CHECK(json["verified"]["error"] == Approx(-0.1));
  CHECK(json["verified"]["ratio_error"] == Approx(5.4 / 10 / (6.0 / 9) - 1));
  CHECK(json["phases"][0]["recorded_path_s"] == 0.02);
}

TEST_CASE("whatif: nothing that took time limits nothing") {
  WhatIf empty;
  empty.scenario_case = case_of("sync");
  CHECK(first_sentence(empty) == "sync: nothing took any time.");
  CHECK(to_json(empty)["time_s"].is_null());
}

TEST_CASE("recorded path: of each step that of the worker whom others waited for") {
  Record record;
  record.scenario_case = case_of("sync");
  const auto add = [&](int worker, std::int64_t step, std::int64_t compute, std::int64_t wait) {
    StepRow row;
    row.worker = worker;
    row.report.step = {step};
    row.report.phases.compute = {compute};
    row.report.phases.wait = {wait};
    record.steps.push_back(row);
  };
  add(0, 0, 100, 310);
  add(1, 0, 400, 10);
  add(0, 1, 200, 20);
  add(1, 1, 100, 120);
  const auto path = recorded_path(record);
  REQUIRE(path.has_value());
  CHECK(path->compute == Approx(300e-9));
  CHECK(path->wait == Approx(15e-9));
  record.scenario_case = case_of("async");
  CHECK_FALSE(recorded_path(record).has_value());
}

}  // namespace
}  // namespace foretrain::testing
