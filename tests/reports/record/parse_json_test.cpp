// Errors of JSON files with their lines.
#include "reports/record/json_object.h"
#include "scenarios/language/input_error.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain::testing {
namespace {

TEST_CASE("parse json: an error names the line at which the parser stops") {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      (void)parse_json(text, "file", "end");
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(complaint("") == "file:1: is not JSON; end");
  CHECK(complaint("{\n\"a\": 1,\n\"b\": }") == "file:3: is not JSON; end");
  CHECK(complaint("{\"a\":\n1}\n\n}") == "file:4: is not JSON; end");
  CHECK(complaint("[1,\n-1e999,\n2]") == "file:2: a number is too large; end");
}

}  // namespace
}  // namespace foretrain::testing
