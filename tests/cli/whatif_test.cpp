// What-if on the command line: its folder, its page, its JSON, its errors.
#include "tests/cli/sandbox.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {
namespace {

using Catch::Contains;
using testing::Called;
using testing::Sandbox;
using Json = nlohmann::ordered_json;

const std::string kAsk = "whatif small.yaml --machine machine.yaml ";

TEST_CASE("whatif called: its page is in its folder, report reads the folder, its JSON as well") {
  Sandbox sandbox;
  const Called asked = sandbox.call(kAsk + "--json");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  const std::string sentence = Json::parse(asked.out).at("limit").at("sentence");
  CHECK(sentence.find("worker CPU limits it") != std::string::npos);
  const std::string page =
      testing::text_of(sandbox.path("out/small/whatif-machine=machine.yaml/report.html"));
  CHECK(page.find("worker CPU limits it") != std::string::npos);
  sandbox.write("answer.json", asked.out);
  for (const char* place : {"out/small/whatif-machine=machine.yaml", "answer.json"}) {
    const Called reported = sandbox.call(std::string("report --out figures ") + place);
    CAPTURE(place, reported.err);
    CHECK(reported.status == 0);
    CHECK(reported.out.find("page:    figures/report.html") != std::string::npos);
  }
}

TEST_CASE("whatif called: of a sweep each case has its folder, report reads all of them") {
  Sandbox sandbox;
  const Called asked =
      sandbox.call(kAsk + "--json --out w --set 'sweep.training.strategy=[sync, async]'");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  REQUIRE(Json::parse(asked.out).at("cases").size() == 2);
  CHECK(sandbox.has("w/strategy=async/report.html"));
  sandbox.write("answers.json", asked.out);
  for (const char* place : {"w", "answers.json"}) {
    const Called reported = sandbox.call(std::string("report --out figures ") + place);
    CAPTURE(place, reported.err);
    CHECK(reported.status == 0);
    const std::string page = testing::text_of(sandbox.path("figures/report.html"));
    CHECK(page.find("What if (2)") != std::string::npos);
  }
}

TEST_CASE("whatif called: a later case that fails loses nothing of an earlier one") {
  Sandbox sandbox;
  sandbox.write("later.yaml",
                "foretrain: 1\nname: later\ndataset: {take: 300, test_take: 100}\n"
                "training: {workers: 2, batch_size: 16, steps: 200}\n"
                "faults: [{at: 1 ms, kill: worker1}]\n"
                "sweep: {training.strategy: [async, sync]}\n");
  const Called asked = sandbox.call("whatif later.yaml --machine machine.yaml --json");
  INFO(asked.err);
  CHECK(asked.status == 1);
  CHECK(asked.err.find("error: worker1 was killed at 1 ms") != std::string::npos);
  const Json answers = Json::parse(asked.out).at("cases");
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].at("settings").at("training.strategy") == "async");
}

TEST_CASE("whatif called: with a backup worker it ends as any other training does") {
  Sandbox sandbox;
  const Called asked =
      sandbox.call("whatif '" + source_dir() +
                   "/scenarios/studies/slow_worker.yaml' --set training.strategy=sync --json");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  const Json answers = Json::parse(asked.out).at("cases");
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].at("settings") == Json{{"training.strategy", "sync"}});
  CHECK(answers[1].at("settings") == Json{{"training.backup_workers", "1"}});
  CHECK(answers[1].at("crossovers").at(0).at("answer") ==
        "Not with up to 256 workers, the most that were tried.");
}

TEST_CASE("whatif called: of a target that is not reached it says so, and what to do") {
  Sandbox sandbox;
  const std::string target =
      "--set training.evaluate_every=5 --set 'training.until={accuracy: 1}' ";
  const Called asked = sandbox.call(kAsk + target + "--json");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  const Json json = Json::parse(asked.out);
  CHECK(json.at("time_s").is_null());
  const std::string sentence = json.at("limit").at("sentence");
  CHECK_THAT(sentence, Contains("limits it, ") &&
                           Contains("; accuracy 1 is not reached in 10 steps (best: ") &&
                           Catch::EndsWith("); raise training.steps, or leave the target out."));
  const Called told = sandbox.call(kAsk + target);
  INFO(told.out);
  REQUIRE(told.status == 0);
  CHECK_THAT(told.out, Contains("critical path") && !Contains("as it is"));
}

TEST_CASE("whatif called: what would be of no effect is refused with what there is") {
  Sandbox sandbox;
  const auto refusal = [&](const std::string& arguments) {
    const Called called = sandbox.call(arguments);
    CAPTURE(arguments);
    CHECK(called.status == 2);
    CHECK(called.out.empty());
    return called.err;
  };
  CHECK_THAT(refusal(kAsk + "--verify 'one more wrker'"),
             Contains("--verify one more wrker") && Contains("did you mean one more worker?") &&
                 Contains("double batch"));
  CHECK_THAT(refusal(kAsk + "--crossover --set training.strategy=single --set training.workers=1"),
             Contains("--crossover: nothing to search for single") && Contains("training.until"));
  REQUIRE(sandbox.call("simulate small.yaml --machine machine.yaml --quiet").status == 0);
  const std::string recorded =
      "whatif out/small/simulate-machine=machine.yaml --machine machine.yaml ";
  for (const char* setting : {"--set training.workers=3", "--seed 7"}) {
    CHECK_THAT(refusal(recorded + setting),
               Contains(std::string("error: ") + setting +
                        ": out/small/simulate-machine=machine.yaml is a record") &&
                   Contains("--verify"));
  }
}

}  // namespace
}  // namespace foretrain
