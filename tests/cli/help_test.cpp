// The program's help for people who do not know its commands.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using testing::Called;
using testing::Sandbox;

TEST_CASE("help: a command that there is not is named, with what was meant, with those there are") {
  Sandbox sandbox;
  const Called slip = sandbox.call("simulat small.yaml --machine machine.yaml");
  CHECK(slip.status == 2);
  CHECK(slip.out.empty());
  CHECK_THAT(slip.err,
             StartsWith("error: there is no command 'simulat'; did you mean simulate?\n\nThere "
                        "are:\n  new "));
  for (const std::string& command : sandbox.commands()) {
    if (command.find(' ') != std::string::npos) continue;
    CHECK_THAT(slip.err, Contains("\n  " + command + " "));
  }
  const Called far = sandbox.call("frobnicate");
  CHECK(far.status == 2);
  CHECK_THAT(far.err, StartsWith("error: there is no command 'frobnicate'\n\nThere are:\n"));
  const Called below = sandbox.call("data lst");
  CHECK(below.status == 2);
  CHECK_THAT(below.err,
             StartsWith("error: there is no command 'lst' of data; did you mean list?\n"));
  CHECK_THAT(below.err, Contains("\n  verify  read all"));
  const Called none = sandbox.call("");
  CHECK(none.status == 2);
  CHECK_THAT(none.err, StartsWith("error: name a command\n\nThere are:\n  new "));
  const Called neither = sandbox.call("data");
  CHECK(neither.status == 2);
  CHECK_THAT(neither.err, StartsWith("error: name a command of data\n\nThere are:\n  list "));
}

TEST_CASE("help: an option that there is not is named, with what was meant") {
  Sandbox sandbox;
  const Called slip = sandbox.call("check small.yaml --sett seed=2");
  CHECK(slip.status == 2);
  CHECK(slip.err == "error: foretrain check has no option --sett; did you mean --set?\n");
  const Called joined = sandbox.call("validate small.yaml --ledgre=w");
  CHECK(joined.status == 2);
  CHECK(joined.err == "error: foretrain validate has no option --ledgre; did you mean --ledger?\n");
  const Called far = sandbox.call("check small.yaml --frobnicate");
  CHECK(far.status == 2);
  CHECK(far.err ==
        "error: foretrain check has no option --frobnicate; foretrain check --help lists those "
        "there are\n");
}

TEST_CASE("help: what an option does not take is told as an error") {
  Sandbox sandbox;
  for (const char* wrong : {"describe bashh", "new --question why </dev/null", "serve --port 99999",
                            "check small.yaml more.yaml"}) {
    CAPTURE(wrong);
    const Called called = sandbox.call(wrong);
    CHECK(called.status == 2);
    CHECK_THAT(called.err, StartsWith("error: "));
    CHECK_THAT(called.err, Contains("--help"));
  }
}

TEST_CASE("help: every command shows what it is called like") {
  Sandbox sandbox;
  const auto commands = sandbox.commands();
  REQUIRE(commands.size() > 10);
  for (const std::string& command : commands) {
    CAPTURE(command);
    CHECK_THAT(sandbox.call(command + " --help").out,
               Contains("\nExamples:\n    foretrain " + command));
  }
  CHECK_THAT(sandbox.call("describe man").out, Contains("foretrain data verify data/mnist"));
}

// The examples that need only the library.
TEST_CASE("help: examples are command lines that the program takes") {
  Sandbox sandbox;
  for (const char* words : {"check scenarios/quickstart.yaml --set training.batch_size=64",
                            "check scenarios/quickstart.yaml --graph", "data list", "describe bash",
                            "describe hardware"}) {
    CAPTURE(words);
    CHECK(sandbox.call(words).status == 0);
  }
}

}  // namespace
}  // namespace foretrain
