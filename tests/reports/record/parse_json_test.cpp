// What is parsed equals what the library parses, objects of very many keys included.
#include "reports/record/parse_json.h"

#include "scenarios/input_error.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain::testing {
namespace {

using nlohmann::ordered_json;

TEST_CASE("parse json: every kind of value is what the library makes of it") {
  const std::string text =
      R"({"b": [1, -2, 3.5, "x\u00e9\n", true, null, [], {}], "a": {"z": {"y": [{"x": 0}]}}, )"
      R"("18446744073709551615": 18446744073709551615, "": 9223372036854775808})";
  CHECK(parse_json(text, "file") == ordered_json::parse(text));
  CHECK(parse_json(text, "file").dump() == ordered_json::parse(text).dump());
  for (const std::string alone : {"7", "null", "\"text\"", "[]", "{}", "1e3"}) {
    CHECK(parse_json(alone, "file").dump() == ordered_json::parse(alone).dump());
  }
}

TEST_CASE("parse json: of a key that comes twice the last value counts, at the first place") {
  for (const int keys : {1, 2, 31, 32, 33, 34, 500}) {
    std::string text = "{";
    for (const int round : {0, 1}) {
      for (int key = 0; key < keys; ++key) {
        // In the second round the lists of the first are replaced by numbers, in another order.
        const int name = round == 0 ? key : keys - 1 - key;
        text += fmt::format("\"k{}\": {},", name, round == 0 ? "[1, {\"k0\": 2}]" : "3");
      }
    }
    text.back() = '}';
    CAPTURE(keys);
    CHECK(parse_json(text, "file").dump() == ordered_json::parse(text).dump());
    CHECK(parse_json(text, "file").size() == static_cast<std::size_t>(keys));
  }
}

TEST_CASE("parse json: an object of very many keys takes time in proportion to them") {
  constexpr int kKeys = 300'000;  // looking for each among those before it would take minutes
  std::string text = "{\"again\": 0";
  for (int key = 0; key < kKeys; ++key) text += fmt::format(",\"k{0}\": {0}", key);
  const ordered_json json = parse_json(text + ",\"again\": 1}", "file");
  REQUIRE(json.size() == kKeys + 1);
  CHECK(json.front() == 1);
  CHECK(json.back() == kKeys - 1);
}

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
