// Questions of the page, as the command line would ask them.
#include "reports/serve/question.h"

#include "reports/serve/routes.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

constexpr const char* kSweep =
    "foretrain: 1\nname: swept\ntraining: {steps: 10, batch_size: 16}\n"
    "sweep:\n  - {training.strategy: sync}\n"
    "  - {training.strategy: ssp, training.staleness: 4}\n";

Question asking(const std::string& text, const Json& more = Json::object()) {
  Json json{{"text", text}};
  json.update(more);
  return read_question(json.dump());
}

TEST_CASE("question: a text that was typed is one case, with a command once it is saved") {
  const Asked asked =
      read_asked(asking("foretrain: 1\nname: typed\ntraining: {steps: 10, workers: 2}\n",
                        {{"controls", {{"workers", 3}, {"straggling", 0.5}}}}));
  CHECK(asked.unsaved);
  CHECK(asked.label.empty());
  CHECK(asked.scenario_case.scenario.name == "typed");
  CHECK(asked.scenario_case.scenario.training.workers == 3);
  CHECK(asked.command("simulate", {"training.steps=4"}, {"--machine", "my machine.yaml"}) ==
        "foretrain simulate scenario.yaml --set training.workers=3 --set 'stragglers=[{workers: "
        "all, distribution: lognormal, sigma: 0.5}]' --set training.steps=4 --machine 'my "
        "machine.yaml'");
  CHECK(asked.with({"training.steps=4"}).scenario.training.steps == 4);
}

TEST_CASE("question: a control character is refused wherever it stands") {
  const std::string good = "foretrain: 1\ntraining: {steps: 10}\n";
  CHECK_THROWS_WITH(read_asked(asking("foretrain: 1\nname: \"\\0\"\n")),
                    "scenario.yaml:2:7: name: a control character, U+0000; remove it");
  for (const Json& more :
       {Json{{"file", std::string("a\0b", 3)}}, Json{{"case", "a\x1b"}},
        Json{{"controls", {{"host", "a\n"}}}}, Json{{"controls", {{"set", {"name=\x07"}}}}}}) {
    CAPTURE(more.dump());
    CHECK_THROWS_WITH(asking(good, more),
                      Catch::StartsWith("question/") && Catch::Contains("a control character"));
  }
}

TEST_CASE("question: a text that is that of its file is asked by the file's name") {
  const testing::TemporaryFolder folder;
  const std::string file = (folder.path() / "mine.yaml").string();
  const std::string text = "foretrain: 1\ntraining: {steps: 10}\n";
  testing::write_text(file, text);
  const Asked saved = read_asked(asking(text, {{"file", file}}));
  CHECK_FALSE(saved.unsaved);
  CHECK(saved.words("run", {}) == Words{"run", file});
  CHECK(saved.scenario_case.scenario.name == "mine");
  const Asked changed = read_asked(asking(text + "seed: 2\n", {{"file", file}}));
  CHECK(changed.unsaved);
  CHECK(changed.words("run", {}) == Words{"run", "mine.yaml"});
  CHECK(changed.scenario_case.scenario.name == "mine");
}

TEST_CASE("question: files beside the scenario's are found, typed or not") {
  const testing::TemporaryFolder folder;
  testing::write_text(folder.path() / "times.csv", "time\n1\n2\n");
  const std::string file = (folder.path() / "mine.yaml").string();
  const std::string text =
      "foretrain: 1\nnumerics: off\ntraining: {steps: 10}\n"
      "stragglers: [{workers: all, trace: times.csv}]\n";
  const Asked asked = read_asked(asking(text, {{"file", file}}));
  CHECK(asked.scenario_case.scenario.stragglers.at(0).trace ==
        (folder.path() / "times.csv").string());
}

TEST_CASE("question: of a sweep one case is shown, commands and YAML have all") {
  const Asked first = read_asked(asking(kSweep));
  CHECK(first.cases.size() == 2);
  CHECK(first.label == "strategy=sync");
  CHECK(first.words("simulate", {}) == Words{"simulate", "scenario.yaml"});
  CHECK(first.yaml() == kSweep);
  const Json ssp{{"case", "strategy=ssp,staleness=4"}, {"controls", {{"batch_size", 8}}}};
  const Asked second = read_asked(asking(kSweep, ssp));
  CHECK(second.scenario_case.scenario.training.strategy == "ssp");
  CHECK(second.label == "strategy=ssp,staleness=4");
  CHECK(second.overrides == Words{"training.batch_size=8"});
  const auto again = parse_scenario(second.yaml(), "again.yaml");
  REQUIRE(again.size() == 2);
  CHECK(again[1].scenario == second.scenario_case.scenario);
  CHECK(read_asked(asking(kSweep, {{"case", "none"}})).label == "strategy=sync");
}

TEST_CASE("question: a control that replaces what the sweep varies leaves fewer cases") {
  const std::string text =
      "foretrain: 1\nname: swept\ntraining: {steps: 10}\nnumerics: off\n"
      "cluster: {hosts: [{name: node, count: 40, compute: 2 ms}]}\n"
      "sweep: {training.strategy: [sync, all_reduce], training.workers: [2, 16]}\n";
  const Asked async = read_asked(asking(
      text, {{"case", "strategy=all_reduce,workers=16"}, {"controls", {{"strategy", "async"}}}}));
  CHECK(async.cases.size() == 2);
  CHECK(async.label == "workers=16");
  const Asked single = read_asked(asking(text, {{"controls", {{"strategy", "single"}}}}));
  CHECK(single.cases.size() == 1);
  CHECK(single.label.empty());
  CHECK_NOTHROW(parse_scenario(single.yaml(), "again.yaml"));
  // One host has eight devices, too few for the cases with 16 workers.
  const Asked alone = read_asked(asking(text, {{"controls", {{"host", "p3.16xlarge"}}}}));
  CHECK(alone.cases.size() == 1);
  CHECK(alone.overrides == Words{"training.workers=2", "training.strategy=sync",
                                 "cluster={hosts: [{like: p3.16xlarge, count: 1}]}"});
}

TEST_CASE("question: every scenario of the library can be asked about") {
  const auto shelf = catalog_json("");
  for (const auto& each : shelf.at("scenarios")) {
    const std::string file = each.at("file");
    CAPTURE(file);
    const Asked asked = read_asked(asking(each.at("text"), {{"file", file}}));
    for (const Case& one : asked.cases) {
      const std::string label = asked.label.empty() ? "" : one.label();
      CAPTURE(label);
      CHECK(read_asked(asking(each.at("text"), {{"file", file}, {"case", label}})).label == label);
    }
  }
}

TEST_CASE("question: what is no question is refused") {
  CHECK_THROWS_WITH(read_question("no JSON"), Catch::Contains("is no object"));
  CHECK_THROWS_WITH(read_question(std::string(1'000, '[')), Catch::Contains("is no object"));
  CHECK_THROWS_WITH(read_question(R"({"text": 3})"), Catch::Contains("text: is no text"));
  CHECK_THROWS_WITH(read_question(R"({"controls": 3})"), Catch::Contains("controls"));
}

TEST_CASE("question: a mistake is told with its line, without its file") {
  Json error;
  try {
    read_asked(asking("foretrain: 1\ntraining:\n  steps: 10\n  wrkers: 3\n"));
  } catch (const InputError& wrong) {
    error = error_json(wrong.what(), kTypedSource);
  }
  CHECK(error.at("line") == 4);
  CHECK(error.at("column") == 3);
  CHECK(error.at("message") == "training.wrkers: unknown key; did you mean training.workers?");
  const Json set = error_json("--set training.workers=0: training.workers: 0 is ...", "a.yaml");
  CHECK(set.at("line").is_null());
  CHECK(set.at("message") == "--set training.workers=0: training.workers: 0 is ...");
  CHECK(error_json("a.yaml:7: what", "a.yaml").at("line") == 7);
  CHECK(error_json("a.yaml:7: what", "a.yaml").at("message") == "what");
  CHECK(error_json("a.yaml: what", "a.yaml").at("line").is_null());
}

}  // namespace
}  // namespace foretrain::serve
