// Results go to standard output, messages to standard error.
#include "reports/record/wrapped_text.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using testing::Called;
using testing::Sandbox;

const std::string kMadeUpMachine = " --machine machine.yaml ";
const std::string kFortyWorkers =
    "simulate small.yaml --machine machine.yaml --set training.workers=40 --set numerics=off ";

std::size_t widest_of(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  return widest;
}

/// The number of a node table's lines that describe a node.
std::size_t node_lines(const std::string& text) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(" worker") || line.starts_with(" server")) ++count;
  }
  return count;
}

TEST_CASE("streams: the result is on standard output, also where the command is quiet") {
  Sandbox sandbox;
  struct Told {
    std::string command;
    std::string begins;
  };
  for (const Told& told :
       {Told{"simulate small.yaml --out s" + kMadeUpMachine, "sync simulated: 20 gradients in "},
        Told{"run small.yaml --out r", "sync run: 20 gradients in "},
        Told{"simulate small.yaml --seeds 2 --out b" + kMadeUpMachine,
             "sync simulated with the 2 seeds"},
        Told{"simulate --replay r --out p", "sync simulated: 20 gradients in "},
        Told{"whatif small.yaml --out w" + kMadeUpMachine, "sync: "},
        Told{"sweep small.yaml --set 'sweep.seed=[1, 2]' --out t" + kMadeUpMachine,
             "Of 2 cases it is a tie between seed=1 and seed=2: "},
        Told{"report r s --out page", "Of 2 trainings "}}) {
    const Called called = sandbox.call(told.command + " --quiet");
    INFO(told.command << "\n" << called.err);
    CHECK(called.status == 0);
    CHECK_THAT(called.out, StartsWith(told.begins));
    CHECK(called.err.empty());
  }
}

TEST_CASE("streams: with --json standard output has the JSON alone, and no table is anywhere") {
  Sandbox sandbox;
  for (const std::string& command :
       {"simulate small.yaml --out s" + kMadeUpMachine, std::string("run small.yaml --out r"),
        "simulate small.yaml --seeds 2 --out b" + kMadeUpMachine,
        "simulate small.yaml --set 'sweep.seed=[1, 2]' --out c" + kMadeUpMachine,
        "whatif small.yaml --out w" + kMadeUpMachine,
        "sweep small.yaml --set 'sweep.seed=[1, 2]' --out t" + kMadeUpMachine,
        "validate small.yaml --repeat 1 --out v" + kMadeUpMachine}) {
    const Called called = sandbox.call(command + " --json");
    INFO(command << "\n" << called.err);
    CHECK(called.status == 0);
    CHECK(nlohmann::json::accept(called.out));
    CHECK(node_lines(called.err) == 0);
    CHECK(called.err.find("step time") == std::string::npos);
  }
}

TEST_CASE("streams: a failure is told on standard error, what came out until then as ever") {
  Sandbox sandbox;
  const Called failed = sandbox.call(
      "run small.yaml --quiet --out here --set training.steps=100000 --set "
      "'faults=[{at: 100 ms, kill: server0}]'");
  CHECK(failed.status == 1);
  CHECK_THAT(failed.out, StartsWith("sync run failed after "));
  CHECK_THAT(failed.err, StartsWith("error: server0 was killed at 100 ms"));
}

TEST_CASE("streams: nodes have a line each with --full, none without") {
  Sandbox sandbox;
  const Called few = sandbox.call(kFortyWorkers + "--out a");
  REQUIRE(few.status == 0);
  CHECK(node_lines(few.out) == 0);
  CHECK_THAT(few.out, Contains("; --full has all.\n"));
  const Called all = sandbox.call(kFortyWorkers + "--full --out b");
  CHECK(node_lines(all.out) == 41);
  const Called asked = sandbox.call(kFortyWorkers + "--json --full --out c");
  CHECK(nlohmann::json::accept(asked.out));
  CHECK(node_lines(asked.err) == 41);
  CHECK(node_lines(sandbox.call("report a --out page").out) == 0);
  CHECK(node_lines(sandbox.call("report a --full --out page").out) == 41);
}

TEST_CASE("streams: text is as wide as the terminal, 80 columns where nobody knows") {
  Sandbox sandbox;
  const std::string simulate = "simulate small.yaml --out s" + kMadeUpMachine;
  const std::size_t usual = widest_of(sandbox.call(simulate).out);
  CHECK(usual > 70);
  CHECK(usual <= 80);
  const std::string wide = sandbox.call(simulate, "export COLUMNS=132").out;
  CHECK(widest_of(wide) > 80);
  CHECK(widest_of(wide) <= 132);
  const std::string narrow = sandbox.call(simulate, "export COLUMNS=50").out;
  CHECK(widest_of(narrow.substr(0, narrow.find("\n\n"))) <= 50);
  CHECK(widest_of(sandbox.call(simulate, "export COLUMNS=wide").out) == usual);
  CHECK(widest_of(sandbox.call("run --help", "export COLUMNS=60").out) <= 60);
  // Files do not depend on the terminal's width.
  const std::string whatif = "whatif small.yaml --out w" + kMadeUpMachine;
  REQUIRE(sandbox.call(whatif).status == 0);
  const std::string file = testing::text_of(sandbox.path("w/whatif.txt"));
  REQUIRE(sandbox.call(whatif, "export COLUMNS=132").status == 0);
  CHECK(testing::text_of(sandbox.path("w/whatif.txt")) == file);
}

}  // namespace
}  // namespace foretrain
