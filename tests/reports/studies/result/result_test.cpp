// A result from JSON as text.
#include "reports/studies/result/result.h"

#include "reports/record/json_object.h"
#include "reports/show/page/result_page.h"
#include "reports/show/terminal/result_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {
namespace {

using Kind = ResultColumn::Kind;
using Json = nlohmann::ordered_json;

Result made_of(const Json& json) {
  Result result{"A sentence.",
                {{"rows",
                  "Rows",
                  {{"name", "name", Kind::words},
                   {"time_s", "time", Kind::time},
                   {"limit.share", "share", Kind::share},
                   {"why_not", "not tried", Kind::note}},
                  {}}},
                "It stands.",
                {"A note."}};
  add_rows(result.tables[0], JsonObject(json, "x.json:").objects("rows"));
  return result;
}

TEST_CASE("result: rows are read by the names of the columns, null is nothing") {
  const Json rows{{"rows",
                   {{{"name", "a"}, {"time_s", 7200}, {"limit", {{"share", 0.5}}}},
                    {{"name", "b"}, {"time_s", nullptr}, {"why_not", "no host"}}}}};
  const Result result = made_of(rows);
  CHECK(to_csv(result.tables[0]) == "name,time_s,limit.share,why_not\na,7200,0.5,\nb,,,no host\n");
  const std::string full = to_text(result, true);
  for (const char* part : {"2 h", "50.0 %", "b: not tried: no host\n", "It stands.\n\nA note.\n"}) {
    CAPTURE(part, full);
    CHECK(full.find(part) != std::string::npos);
  }
  const std::string brief = to_text(result, false);
  CHECK(brief.find("no host") == std::string::npos);
  CHECK(brief.find("A note.") == std::string::npos);
  CHECK_THROWS_WITH(made_of({{"rows", {{{"name", "a"}, {"time_s", "long"}}}}}),
                    Catch::Contains("x.json: rows[0]: time_s: \"long\" is not a number"));
}

TEST_CASE("result: as a section of a page with its notes") {
  const Section section = result_section("id", "Title", made_of({{"rows", {{{"name", "a"}}}}}), {});
  CHECK(section.text == "A sentence. It stands.");
  REQUIRE(section.tables.size() == 2);
  CHECK(section.tables[1].rows.at(0).at(0).text == "A note.");
}

TEST_CASE("result: times are told in the unit that people would take") {
  CHECK(time_text(0.25) == "0.25 s");
  CHECK(time_text(90) == "1.5 min");
  CHECK(time_text(9000) == "2.5 h");
}

}  // namespace
}  // namespace foretrain
