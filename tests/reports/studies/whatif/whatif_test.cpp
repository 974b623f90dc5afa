// What-if as people, as programs read it.
#include "reports/studies/whatif/whatif.h"

#include "reports/record/text.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>

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
  whatif.changes[3].why_not = "a gradient takes what compute: says, whatever its batch";
  whatif.crossovers = {{"From how many workers on?", "From 4.", 4}};
  whatif.verified = Verified{"one more server", 3, 9, 6, 10, 5.4};
  whatif.phases = {{"compute", 0.01, 0.011, 0.02}};
  whatif.recorded = "of a run on this machine";
  return whatif;
}

TEST_CASE("whatif text: the first sentence says what limits it and what helps most") {
  CHECK(first_sentence(made_up()) ==
        "sync: server NIC limits it, 60 % of the critical path; twice of something saves 30 %; "
        "most is saved by strategy all_reduce, 60 %.");
}

TEST_CASE("whatif text: a resource whose other order of work takes longer is no advice") {
  WhatIf whatif = made_up();
  whatif.changes[1].time_s = 11.2;
  whatif.changes[1].reordered = true;
  whatif.changes[0].name = "one worker 30 % slower";
  whatif.changes[0].reordered = true;
  CHECK(first_sentence(whatif) == "sync: server NIC limits it, 60 % of the critical path.");
  const std::string text = to_table(whatif);
  CHECK(text.find("-12.0 %") == std::string::npos);
  CHECK(text.find("Reordered: one worker 30 % slower, server NIC 2x: work takes another order") !=
        std::string::npos);
  CHECK(to_json(whatif)["changes"][1]["saved"].is_null());
  CHECK(to_json(whatif)["changes"][1]["reordered"] == true);
}

TEST_CASE("whatif text: a strategy that learns otherwise says how, unless a target says how long") {
  WhatIf whatif = made_up();
  whatif.changes[0].name = "strategy local_sgd";
  whatif.changes[0].statistical_efficiency = "workers drift apart";
  const std::string note = "Statistical efficiency of strategy local_sgd: workers drift apart.";
  CHECK(first_sentence(whatif).ends_with(
      "most is saved by strategy local_sgd, 60 %, at another statistical efficiency."));
  CHECK(to_table(whatif).find(note) != std::string::npos);
  CHECK(to_json(whatif)["changes"][0]["statistical_efficiency"] == "workers drift apart");
  CHECK(to_json(whatif)["changes"][1]["statistical_efficiency"].is_null());
  whatif.scenario_case.scenario.training.until.accuracy = 0.9;
  CHECK(first_sentence(whatif).ends_with("most is saved by strategy local_sgd, 60 %."));
  CHECK(to_table(whatif).find(note) == std::string::npos);
}

TEST_CASE("whatif text: of strategies that are not in step the mean staleness is told") {
  WhatIf whatif = made_up();
  const std::string begin = "Mean staleness of gradients, in updates: ";
  CHECK(to_table(whatif).find(begin) == std::string::npos);
  CHECK(to_json(whatif)["changes"][0]["staleness_mean"].is_null());
  whatif.changes[0].name = "strategy async";
  whatif.changes[0].staleness_mean = 2.96;
  CHECK(to_table(whatif).find("\n" + begin + "3.0 with strategy async.\n") != std::string::npos);
  CHECK(to_json(whatif)["changes"][0]["staleness_mean"] == 2.96);
  CHECK(to_json(whatif)["staleness_mean"].is_null());
}

TEST_CASE("whatif text: staleness is told as it is, with the changes that move it") {
  WhatIf whatif = made_up();
  whatif.staleness_mean = 3.02;
  whatif.changes[0].name = "strategy ssp";
  whatif.changes[0].staleness_mean = 1.2;
  whatif.changes[1].staleness_mean = 2.98;  // as before, to a tenth
  CHECK(to_json(whatif)["staleness_mean"] == 3.02);
  const std::string told = wrap(
      "Mean staleness of gradients, in updates: 3.0 as it is; 1.2 with strategy ssp. With other "
      "changes it stays, unless workers go in step.");
  CHECK(to_table(whatif).find("\n" + told) != std::string::npos);
  whatif.changes[1].staleness_mean.reset();
  CHECK(to_table(whatif).find("With other changes it stays") == std::string::npos);
  whatif.scenario_case.scenario.training.until.accuracy = 0.9;
  CHECK(to_table(whatif).find("3.0 as it is; 1.2 with strategy ssp.") != std::string::npos);
}

TEST_CASE("whatif text: it fits 80 columns with every figure in it") {
  const std::string text = to_table(made_up());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(columns_of(line) <= kTerminalColumns);
  }
  for (const char* part : {"server NIC in", "+30.0 %", "0.60 %", "0.00875", "From 4.",
                           "Nothing is saved by half the latency.", "Not tried: double batch",
                           "-10.0 %", "compute", "Simulated"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

// Of ten seconds as they are nobody knows when they reach it.
WhatIf without_time() {
  WhatIf whatif = made_up();
  whatif.scenario_case.scenario.training.until.accuracy = 0.9;
  whatif.measure = "accuracy 0.9";
  whatif.time_s.reset();
  whatif.no_time =
      "accuracy 0.9 is not reached in 100 steps (best: 0.83); raise training.steps, or ask without "
      "the target";
  for (Change& each : whatif.changes) {
    each.time_s.reset();
    each.free_time_s.reset();
    each.elasticity.reset();
  }
  return whatif;
}

TEST_CASE("whatif text: a target that is not reached is said first, in place of rows of dashes") {
  const WhatIf whatif = without_time();
  const std::string sentence =
      "sync: server NIC limits it, 60 % of the critical path; accuracy 0.9 is not reached in 100 "
      "steps (best: 0.83); raise training.steps, or ask without the target.";
  CHECK(first_sentence(whatif) == sentence);
  const auto json = to_json(whatif);
  CHECK(json["limit"]["sentence"] == sentence);
  CHECK(json["time_s"].is_null());
  CHECK(json["changes"].size() == 4);
  const std::string text = to_table(whatif);
  CHECK(text.starts_with(wrap(sentence)));
  CHECK(
      text.find("No change that was tried has a time to accuracy 0.9.\nNot tried: double batch") !=
      std::string::npos);
  for (const char* part : {"Nothing is saved by", "as it is", "strategy all_reduce"}) {
    CAPTURE(part);
    CHECK(text.find(part) == std::string::npos);
  }
}

TEST_CASE("whatif text: of a target that one change reaches that one has a row, others a name") {
  WhatIf whatif = without_time();
  whatif.changes[0].time_s = 4;
  const std::string text = to_table(whatif);
  CHECK(
      text.find("time for accuracy 0.9, interpolated between evaluations, which are left out\n") !=
      std::string::npos);
  CHECK(text.find("  strategy all_reduce                 4 s         -") != std::string::npos);
  CHECK(text.find("\nNo time is known with server NIC 2x, half the latency.\n") !=
        std::string::npos);
  CHECK(text.find("Nothing is saved by") == std::string::npos);
}

TEST_CASE("whatif text: with a target there is no column of what 1 % does") {
  WhatIf whatif = made_up();
  CHECK(to_table(whatif).find("per 1 %") != std::string::npos);
  CHECK(to_table(whatif).find("interpolated") == std::string::npos);
  whatif.scenario_case.scenario.training.until.accuracy = 0.9;
  const std::string text = to_table(whatif);
  CHECK(text.find("per 1 %") == std::string::npos);
  CHECK(text.find("0.60 %") == std::string::npos);
  CHECK(text.find("interpolated between evaluations, which are left out\n") ==
        text.rfind("interpolated between evaluations"));
  CHECK(text.find("saved    if free     cost\n") != std::string::npos);
}

TEST_CASE("whatif json: figures that are not known are null") {
  const auto json = to_json(made_up());
  CHECK(json["limit"]["resource"] == "server NIC");
  CHECK(json["path"][0]["share"] == 0.6);
  CHECK(json["changes"][1]["saved"] == Approx(0.3));
  CHECK(json["changes"][1]["elasticity"] == 0.6);
  CHECK(json["changes"][3]["time_s"].is_null());
  CHECK(json["crossovers"][0]["value"] == 4);
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
