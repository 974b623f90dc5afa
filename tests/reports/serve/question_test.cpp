// Questions of the page, as the command line would ask them.
#include "reports/serve/question.h"

#include "reports/serve/routes.h"
#include "scenarios/language/input_error.h"
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
  QuestionReader reader;
  const Asked asked =
      reader.read(asking("foretrain: 1\nname: typed\ntraining: {steps: 10, workers: 2}\n",
                         {{"controls", {{"workers", 3}, {"straggling", 0.5}}}}));
  CHECK(asked.unsaved);
  CHECK(asked.labels.empty());
  CHECK(asked.scenario_case.scenario.name == "typed");
  CHECK(asked.scenario_case.scenario.training.workers == 3);
  CHECK(asked.command("simulate", {"training.steps=4"}, {"--machine", "my machine.yaml"}) ==
        "foretrain simulate scenario.yaml --set training.workers=3 --set 'stragglers=[{workers: "
        "all, distribution: lognormal, sigma: 0.5}]' --set training.steps=4 --machine 'my "
        "machine.yaml'");
  CHECK(asked.with({"training.steps=4"}).scenario.training.steps == 4);
}

TEST_CASE("question: a control character is refused wherever it stands") {
  QuestionReader reader;
  const std::string good = "foretrain: 1\ntraining: {steps: 10}\n";
  CHECK_THROWS_WITH(reader.read(asking("foretrain: 1\nname: \"\\0\"\n")),
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
  QuestionReader reader;
  const Asked saved = reader.read(asking(text, {{"file", file}}));
  CHECK_FALSE(saved.unsaved);
  CHECK(saved.words("run", {}) == Words{"run", file});
  CHECK(saved.scenario_case.scenario.name == "mine");
  const Asked changed = reader.read(asking(text + "seed: 2\n", {{"file", file}}));
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
  QuestionReader reader;
  const Asked asked = reader.read(asking(text, {{"file", file}}));
  CHECK(asked.scenario_case.scenario.stragglers.at(0).trace ==
        (folder.path() / "times.csv").string());
}

TEST_CASE("question: of a sweep one case is shown, all that it sets laid over") {
  QuestionReader reader;
  const Asked first = reader.read(asking(kSweep));
  REQUIRE(first.labels == Words{"strategy=sync", "strategy=ssp,staleness=4"});
  CHECK(first.label == "strategy=sync");
  CHECK(first.overrides == Words{"sweep=null", "training.strategy=sync"});
  CHECK(first.scenario_case.settings.empty());
  const Asked second = reader.read(asking(kSweep, {{"case", "strategy=ssp,staleness=4"}}));
  CHECK(second.scenario_case.scenario.training.strategy == "ssp");
  CHECK(second.overrides == Words{"sweep=null", "training.strategy=ssp", "training.staleness=4"});
  const Asked other = reader.read(asking(
      kSweep, {{"case", "strategy=ssp,staleness=4"}, {"controls", {{"strategy", "async"}}}}));
  CHECK(other.scenario_case.scenario.training.strategy == "async");
  CHECK(reader.read(asking(kSweep, {{"case", "none"}})).label == "strategy=sync");
}

TEST_CASE("question: what only other cases of the sweep use goes with them") {
  const std::string text =
      "foretrain: 1\nname: swept\n"
      "training: {steps: 10, workers: 2, servers: 2, optimizer: {name: sgd, learning_rate: 0.5}}\n"
      "sweep: {training.strategy: [single, sync, all_reduce]}\n";
  QuestionReader reader;
  const Asked single = reader.read(asking(text));
  CHECK(single.overrides == Words{"sweep=null", "training.strategy=single", "training.servers=null",
                                  "training.workers=null"});
  const Asked ring = reader.read(asking(text, {{"case", "strategy=all_reduce"}}));
  CHECK(ring.overrides ==
        Words{"sweep=null", "training.strategy=all_reduce", "training.servers=null"});
  CHECK(ring.scenario_case.scenario.training.workers == 2);
  CHECK(ring.scenario_case.scenario.training.optimizer.learning_rate == 0.5);
  const Asked sync = reader.read(asking(text, {{"case", "strategy=sync"}}));
  CHECK(sync.overrides == Words{"sweep=null", "training.strategy=sync"});
}

TEST_CASE("question: every scenario of the library can be asked about") {
  QuestionReader reader;
  const auto shelf = catalog_json("");
  for (const auto& each : shelf.at("scenarios")) {
    const std::string file = each.at("file");
    CAPTURE(file);
    Asked asked = reader.read(asking(each.at("text"), {{"file", file}}));
    for (const std::string& label : asked.labels) {
      CAPTURE(label);
      CHECK_NOTHROW(reader.read(asking(each.at("text"), {{"file", file}, {"case", label}})));
    }
  }
}

TEST_CASE("question: what makes several cases of one, what is no question, is refused") {
  QuestionReader reader;
  CHECK_THROWS_WITH(reader.read(asking(kSweep, {{"controls", {{"set", {"sweep.seed=[1, 2]"}}}}})),
                    Catch::Contains("several cases"));
  CHECK_THROWS_WITH(read_question("no JSON"), Catch::Contains("is no object"));
  CHECK_THROWS_WITH(read_question(std::string(1'000, '[')), Catch::Contains("is no object"));
  CHECK_THROWS_WITH(read_question(R"({"text": 3})"), Catch::Contains("text: is no text"));
  CHECK_THROWS_WITH(read_question(R"({"controls": 3})"), Catch::Contains("controls"));
}

TEST_CASE("question: a mistake is told with its line, without its file") {
  QuestionReader reader;
  Json error;
  try {
    reader.read(asking("foretrain: 1\ntraining:\n  steps: 10\n  wrkers: 3\n"));
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
