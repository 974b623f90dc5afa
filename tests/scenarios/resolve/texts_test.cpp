// Control characters in texts of a scenario, which terminals, file names must not get.
#include "scenarios/resolve/read.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

TEST_CASE("texts: texts are one line, but the question; no control character comes by --set") {
  for (const char* name : {"\"a\\nb\"", "\"a\\tb\"", "|\n  a\n"}) {
    CAPTURE(name);
    CHECK(scenario_error(std::string("foretrain: 1\nname: ") + name)
              .find("x.yaml:2:7: name: a text with a tab or a line break") == 0);
  }
  CHECK(only("foretrain: 1\nquestion: |\n  What?\n  Why?\n").question == "What?\nWhy?\n");
  const auto set = [](const std::string& assignment) {
    return error_of([&] { parse_scenario("foretrain: 1\n", "x.yaml", {assignment}); });
  };
  CHECK(set("name=a\x1b[31m") == "--set name=a\\u001b[31m: a control character, U+001B; remove it");
  CHECK(set("na\x01me=a").find("--set na\\u0001me=a: a control character") == 0);
  CHECK(set("name=\"\\0\"").find("a control character, U+0000") != std::string::npos);
}

TEST_CASE("texts: a name is a file's name whatever it holds") {
  Case scenario_case;
  scenario_case.scenario.name = std::string("a/b\0c\x1b..", 8);
  CHECK(scenario_case.label() == "a-b-c-..");
}

}  // namespace
}  // namespace foretrain
