// report --worksheet: its page, its JSON, its errors.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {
namespace {

using Catch::Contains;
using testing::Called;
using testing::Sandbox;
using testing::text_of;
using Json = nlohmann::ordered_json;

TEST_CASE("worksheet called: a validation becomes a page to print, then one with answers") {
  Sandbox sandbox;
  REQUIRE(sandbox.call("validate small.yaml --machine machine.yaml --repeat 2 --out v").status ==
          0);
  const Called asked = sandbox.call("report v --worksheet");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  CHECK_THAT(asked.out, Contains("1 case, 1 of them both predicted and measured.") &&
                            Contains("page:    out/worksheet/report.html"));
  const std::string page = text_of(sandbox.path("out/worksheet/report.html"));
  CHECK_THAT(page, Contains("<h1>small: worksheet</h1>") && Contains("Name: ____") &&
                       Contains(">measured (median of 2)</th>") && Contains("<hr>") &&
                       !Contains("critical path"));

  const Called answered =
      sandbox.call("report v --worksheet --answers --machine machine.yaml --json");
  INFO(answered.err);
  REQUIRE(answered.status == 0);
  const Json cases = Json::parse(answered.out).at("cases");
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].at("runs") == 2);
  CHECK(cases[0].at("measured").at("final_loss") == cases[0].at("predicted").at("final_loss"));
  CHECK(cases[0].at("measured").at("most_sent") == cases[0].at("predicted").at("most_sent"));
  CHECK(cases[0].at("error").at("most_sent") == 0);
  const std::string sentence = cases[0].at("limits").at("sentence");
  CHECK_THAT(sentence, Contains("worker CPU limits it"));
  const std::string answers = text_of(sandbox.path("out/answers/report.html"));
  CHECK_THAT(answers, Contains("<p>" + sentence + "</p>") && !Contains("Name: ____"));
}

TEST_CASE("worksheet called: without a record, or without its option, it is an error") {
  Sandbox sandbox;
  REQUIRE(sandbox.call("whatif small.yaml --machine machine.yaml --out w").status == 0);
  const Called none = sandbox.call("report w --worksheet");
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("--worksheet: no record of a complete training"));
  CHECK(sandbox.call("report w --answers").status == 2);
  CHECK(sandbox.call("report w --json").status == 2);
  CHECK(sandbox.call("report nothing --worksheet").status == 2);
  CHECK_FALSE(sandbox.has("out/worksheet"));
}

}  // namespace
}  // namespace foretrain
