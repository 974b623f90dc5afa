// The scenarios of the library on the command line.
#include "scenarios/library/library.h"

#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;
using testing::text_of;

TEST_CASE("examples: the library is listed with its questions, in 80 columns") {
  Sandbox sandbox;
  const Called called = sandbox.call("examples");
  CHECK(called.status == 0);
  for (const Example& example : library_examples()) {
    CAPTURE(example.name);
    CHECK(called.out.find("\n" + example.name + " ") != std::string::npos);
  }
  CHECK(called.out.find("With two workers, does async") != std::string::npos);
  std::istringstream lines(called.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("examples: one is printed, or copied to a file that is not there yet") {
  Sandbox sandbox;
  const std::string kept = text_of(source_dir() + "/scenarios/studies/slow_worker.yaml");
  CHECK(sandbox.call("examples studies/slow_worker").out == kept);
  const Called copied = sandbox.call("examples studies/slow_worker --out mine.yaml");
  CHECK(copied.status == 0);
  CHECK(copied.out.find("written: mine.yaml") == 0);
  CHECK(text_of(sandbox.path("mine.yaml")) == kept);
  CHECK(sandbox.call("check mine.yaml").status == 0);
  sandbox.write("mine.yaml", "my work\n");
  CHECK(sandbox.call("examples quickstart --out mine.yaml").status == 2);
  CHECK(text_of(sandbox.path("mine.yaml")) == "my work\n");
  CHECK(sandbox.call("examples quickstart --out mine.yaml --force").status == 0);
  const Called slip = sandbox.call("examples slow_worker");
  CHECK(slip.status == 2);
  CHECK(slip.err.find("did you mean studies/slow_worker?") != std::string::npos);
}

TEST_CASE("examples: a command takes a scenario by its name") {
  Sandbox sandbox;
  const Called checked = sandbox.call("check studies/jitter --set training.workers=4");
  CHECK(checked.status == 0);
  CHECK(checked.out.find("\nname: jitter\n") != std::string::npos);
  const Called simulated = sandbox.call(
      "simulate quickstart --machine machine.yaml --json --set sweep=null --set training.steps=20");
  CHECK(simulated.status == 0);
  CHECK(sandbox.has(
      "out/quickstart/simulate-machine=machine.yaml,sweep=null,training.steps=20/run.json"));
}

}  // namespace
}  // namespace foretrain
