// Commands with a folder that has the answer of another one.
#include "reports/cli/folders.h"

#include "reports/record/files.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <string>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using testing::Called;
using testing::Sandbox;

const std::string kSimulate = "simulate small.yaml --machine machine.yaml ";

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST_CASE("folders: settings are called as they were given, in the order of their keys") {
  CHECK(settings_name({}).empty());
  CHECK(settings_name({"training.workers=4"}) == "training.workers=4");
  CHECK(settings_name({"training.workers=4", "seed=2"}) == "seed=2,training.workers=4");
  CHECK(settings_name({"checkpoint={every: 50 steps}"}).size() == 8);  // contains a colon
  CHECK(settings_name({"sweep.training.strategy=[sync, async]"}) ==
        "sweep.training.strategy=sync,async");
}

TEST_CASE("folders: settings that would be long, or hard to type, are eight digits") {
  const std::string path = settings_name({"dataset.path=/data/mnist"});
  CHECK(path.size() == 8);
  CHECK(path.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(settings_name({"dataset.path=/data/mnist"}) == path);
  CHECK(settings_name({"dataset.path=/data-mnist"}) != path);
  CHECK(settings_name({"name=" + std::string(60, 'n')}).size() == 8);
  CHECK(settings_name({"name=" + std::string(60, 'n')}) !=
        settings_name({"name=" + std::string(61, 'n')}));
}

TEST_CASE("folders: another set of settings is another default folder") {
  Sandbox sandbox;
  REQUIRE(sandbox.call(kSimulate).status == 0);
  REQUIRE(sandbox.call(kSimulate + "--set training.batch_size=8").status == 0);
  REQUIRE(sandbox.call(kSimulate + "--seed 5").status == 0);
  REQUIRE(sandbox.call(kSimulate + "--seeds 2").status == 0);
  REQUIRE(sandbox.call(kSimulate + "--record summary").status == 0);
  REQUIRE(sandbox.call("whatif small.yaml --machine machine.yaml --seed 5").status == 0);
  const std::string mine = "machine=machine.yaml";
  CHECK(names_in(sandbox.path("out/small")) ==
        std::set<std::string>{
            "simulate-" + mine, "simulate-" + mine + ",seed=5", "simulate-" + mine + ",seeds=2",
            "simulate-" + mine + ",record=summary", "simulate-" + mine + ",training.batch_size=8",
            "whatif-" + mine + ",seed=5"});
  const auto batch = [&](const std::string& folder) {
    return read_record(sandbox.path("out/small/" + folder))
        .scenario_case.scenario.training.batch_size;
  };
  CHECK(batch("simulate-" + mine) == 16);
  CHECK(batch("simulate-" + mine + ",training.batch_size=8") == 8);
}

TEST_CASE("folders: a run never takes the place of an earlier one with its settings") {
  Sandbox sandbox;
  const std::string run = "run small.yaml --set training.steps=3 ";
  REQUIRE(sandbox.call(run).status == 0);
  const Called second = sandbox.call(run);
  REQUIRE(second.status == 0);
  CHECK_THAT(second.err, Contains("out/small/run-training.steps=3 has an earlier run with these "
                                  "settings; this one is in out/small/run-training.steps=3-2\n"));
  REQUIRE(sandbox.call(run).status == 0);
  REQUIRE(sandbox.call(run + "--force").status == 0);
  CHECK(names_in(sandbox.path("out/small")) == std::set<std::string>{"run-training.steps=3",
                                                                     "run-training.steps=3-2",
                                                                     "run-training.steps=3-3"});
}

TEST_CASE("folders: a record of other settings in --out is refused unless --force") {
  Sandbox sandbox;
  REQUIRE(sandbox.call(kSimulate + "--out here").status == 0);
  const std::string before = testing::text_of(sandbox.path("here/run.json"));
  CHECK(sandbox.call(kSimulate + "--out here").status == 0);  // the same command again
  const Called other = sandbox.call(kSimulate + "--out here --set training.batch_size=8");
  CHECK(other.status == 2);
  CHECK(other.err ==
        "error: here: already holds a simulation of small with training.batch_size 16, while this "
        "has 8; name another folder with --out, or replace it with --force\n");
  const Called run = sandbox.call("run small.yaml --out here");
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("error: here: already holds a simulation of small; name another"));
  CHECK(testing::text_of(sandbox.path("here/run.json")) == before);
  const Called forced = sandbox.call(kSimulate + "--out here --force --set training.batch_size=8");
  CHECK(forced.status == 0);
  CHECK_THAT(
      forced.err,
      Contains(
          "here: replaces a simulation of small with training.batch_size 16, while this has 8"));
  CHECK(read_record(sandbox.path("here")).scenario_case.scenario.training.batch_size == 8);
}

TEST_CASE("folders: a case of a sweep is refused in the place of another one, too") {
  Sandbox sandbox;
  const std::string sweep =
      kSimulate + "--set 'sweep.training.strategy=[sync, async]' --out here/ ";
  REQUIRE(sandbox.call(sweep).status == 0);
  const Called other = sandbox.call(sweep + "--set training.batch_size=8");
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Contains("here/strategy=sync: already holds a simulation of small with"));
  const Called bands = sandbox.call(kSimulate + "--seeds 2 --out bands");
  REQUIRE(bands.status == 0);
  const Called other_bands =
      sandbox.call(kSimulate + "--seeds 2 --out bands --set training.batch_size=8");
  CHECK(other_bands.status == 2);
  CHECK_THAT(other_bands.err, Contains("bands/seed=1: already holds a simulation of small with"));
}

TEST_CASE("folders: what is replaced in a default folder is told") {
  Sandbox sandbox;
  REQUIRE(sandbox.call(kSimulate).status == 0);
  CHECK(sandbox.call(kSimulate).err.empty());
  sandbox.write("small.yaml",
                "foretrain: 1\nname: small\ndataset: {take: 300, test_take: 100}\n"
                "training: {workers: 2, batch_size: 16, steps: 12}\n");
  const Called edited = sandbox.call(kSimulate);
  CHECK(edited.status == 0);
  CHECK(edited.err ==
        "out/small/simulate-machine=machine.yaml: replaces a simulation of small with "
        "training.steps 10, while this has 12\n");
}

TEST_CASE("folders: cases of an earlier sweep that are none of this one are told") {
  Sandbox sandbox;
  const auto sweep = [&](const std::string& strategies) {
    return sandbox.call(kSimulate + "--out here --set 'sweep.training.strategy=[" + strategies +
                        "]'");
  };
  REQUIRE(sweep("sync, async, ssp").status == 0);
  const Called fewer = sweep("sync, async");
  CHECK(fewer.status == 0);
  CHECK(fewer.err == "here also holds a record of an earlier command: strategy=ssp\n");
  CHECK(sandbox.has("here/strategy=ssp/run.json"));
  CHECK(sweep("sync, async, ssp").err.empty());
  REQUIRE(sandbox.call(kSimulate + "--seeds 3 --out bands").status == 0);
  CHECK_THAT(sandbox.call(kSimulate + "--seeds 2 --out bands").err,
             Contains("bands also holds a record of an earlier command: seed=3\n"));
}

TEST_CASE("folders: an answer about other settings in --out is refused unless --force") {
  Sandbox sandbox;
  const std::string whatif = "whatif small.yaml --machine machine.yaml --out here ";
  REQUIRE(sandbox.call(whatif).status == 0);
  CHECK(sandbox.call(whatif).status == 0);
  const Called other = sandbox.call(whatif + "--set training.batch_size=8");
  CHECK(other.status == 2);
  CHECK_THAT(other.err,
             Contains("here: already holds an answer about small with training.batch_size 16"));
  CHECK(sandbox.call(whatif + "--force --set training.batch_size=8").status == 0);
}

TEST_CASE("folders: an answer or a report does not take the place of a record's page") {
  Sandbox sandbox;
  REQUIRE(sandbox.call(kSimulate + "--out here").status == 0);
  const Called whatif = sandbox.call("whatif small.yaml --machine machine.yaml --out here");
  CHECK(whatif.status == 2);
  CHECK_THAT(whatif.err, Contains("here: already holds the record of a training"));
  REQUIRE(sandbox.call(kSimulate + "--out there").status == 0);
  const Called report = sandbox.call("report here --out there");
  CHECK(report.status == 2);
  CHECK_THAT(report.err, Contains("there: already holds the record of a training"));
  CHECK(sandbox.call("report here --out here").status == 0);  // its own page, written again
}

TEST_CASE("folders: files of an earlier report that stay are told") {
  Sandbox sandbox;
  REQUIRE(sandbox.call(kSimulate + "--out here").status == 0);
  CHECK(sandbox.call("report here --out page").err.empty());
  CHECK(sandbox.call("report here --out page").err.empty());  // everything is written again
  sandbox.write("page/learning.svg", "of another record");
  CHECK_THAT(sandbox.call("report here --out page").err,
             Contains("page also holds a file of an earlier report: learning.svg\n"));
}

TEST_CASE("folders: validate sets aside what it measured, never removes it") {
  Sandbox sandbox;
  const std::string validate = "validate small.yaml --machine machine.yaml --repeat 1 ";
  REQUIRE(sandbox.call(validate).status == 0);
  const std::string measured = testing::text_of(
      sandbox.path("out/small/validate-machine=machine.yaml/run/small/1/run.json"));
  const Called again = sandbox.call(validate);
  CHECK(again.status == 0);
  CHECK_THAT(again.err, Contains("the earlier validation was moved to "
                                 "out/small/validate-machine=machine.yaml/earlier-1\n"));
  CHECK(testing::text_of(sandbox.path(
            "out/small/validate-machine=machine.yaml/earlier-1/run/small/1/run.json")) == measured);
}

TEST_CASE("folders: a sweep of other settings is refused, or set aside with --force") {
  Sandbox sandbox;
  const std::string sweep =
      "sweep small.yaml --machine machine.yaml --out here --set 'sweep.seed=[1, 2]' ";
  REQUIRE(sandbox.call(sweep).status == 0);
  const std::string table = testing::text_of(sandbox.path("here/sweep.csv"));
  const Called other = sandbox.call(sweep + "--set training.batch_size=8");
  CHECK(other.status == 2);
  CHECK_THAT(
      other.err,
      Contains("is of another scenario or mode; name another folder with --out, or move that sweep "
               "aside with --force"));
  const Called forced = sandbox.call(sweep + "--force --set training.batch_size=8");
  CHECK(forced.status == 0);
  CHECK_THAT(forced.err, Contains("the earlier sweep was moved to here/earlier-1"));
  CHECK(testing::text_of(sandbox.path("here/earlier-1/sweep.csv")) == table);
  CHECK(sandbox.has("here/earlier-1/rows.1-of-1.jsonl"));
  CHECK(testing::text_of(sandbox.path("here/sweep.csv")) != table);
}

}  // namespace
}  // namespace foretrain
