// Worksheets: pairs of records, figures, answers, the room to write.
#include "reports/studies/worksheet/worksheet.h"

#include "reports/show/page/result_page.h"
#include "reports/show/terminal/result_text.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <variant>
#include <vector>

namespace foretrain::testing {
namespace {

using Catch::Contains;
using namespace literals;

/// The texts of a row; empty cells are left out.
std::vector<std::string> texts(const ResultRow& row) {
  std::vector<std::string> all;
  for (const ResultValue& value : row.values) {
    if (const auto* text = std::get_if<std::string>(&value)) all.push_back(*text);
  }
  return all;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST_CASE("worksheet: runs are paired with the simulation of their case, figures are medians") {
  Record slow = small_record(Mode::run, "sync");
  slow.steps.resize(1);  // 10 ms
  slow.nodes[2].tx = {500};
  Record asked = small_record(Mode::simulate, "sync");
  asked.scenario_case.scenario.question = "Why?";  // differs, but does not train otherwise
  const auto cases = worksheet_cases(
      {small_record(Mode::run, "sync"), small_record(Mode::simulate, "async"), asked, slow});
  REQUIRE(cases.size() == 2);
  const nlohmann::ordered_json json = to_json(cases).at("cases");
  const auto& sync = json.at(0);
  CHECK(sync.at("settings") == nlohmann::ordered_json{{"training.strategy", "sync"}});
  CHECK(sync.at("runs") == 2);
  CHECK(sync.at("predicted").at("step_ms") == 25);
  CHECK(sync.at("measured").at("step_ms") == 17.5);
  CHECK(sync.at("error").at("step_ms").get<double>() == Approx(25 / 17.5 - 1));
  // Two workers made four steps: two rounds. In the other run it was half a round.
  CHECK(sync.at("predicted").at("most_sent") == 500);
  CHECK(sync.at("predicted").at("others_sent") == 250);
  CHECK(sync.at("measured").at("most_sent") == (500 + 1200) / 2.0);
  CHECK(sync.at("predicted").at("test_accuracy") == 0.875);
  CHECK(sync.at("predicted").at("compute_share").get<double>() == Approx(44 / 115.0));
  CHECK_FALSE(sync.at("error").contains("compute_share"));
  CHECK_FALSE(sync.contains("limits"));
  CHECK(json.at(1).at("case") == "async");
  CHECK(json.at(1).at("measured").is_null());
  CHECK(json.at(1).at("error").empty());
}

TEST_CASE("worksheet: the page leaves room for answers, with answers it has them") {
  auto cases =
      worksheet_cases({small_record(Mode::run, "sync"), small_record(Mode::simulate, "sync"),
                       small_record(Mode::simulate, "async")});
  const Result blank = result_of(cases);
  CHECK(blank.sentence == "2 cases, 1 of them both predicted and measured.");
  const std::string page = page_html(result_page("sheet", blank, {}), {}, "");
  CHECK(count(page, "<section id=\"case_1\" class=\"sheet\"") == 1);
  CHECK(count(page, "<hr>") == 2 * 12);
  CHECK(count(page, ">by hand</th>") == 2);
  CHECK_THAT(page, Contains(">measured (not run)</th>") && !Contains("critical path"));
  CHECK(texts(blank.tables[0].rows[0]) ==
        std::vector<std::string>{"step [ms]", " ", "25", "21.25 to 28.75", "25", " "});
  CHECK_THAT(to_text(blank, false), !Contains("step [ms]"));
  CHECK_THAT(to_text(blank, true), Contains("step [ms]"));

  cases[0].limit = Limit{"server NIC", 0.75};
  cases[1].limit = Limit{"worker CPU", 0.5};
  const Result answered = result_of(cases);
  CHECK(texts(answered.tables[0].rows[0]).back() == "+0.0 %");
  CHECK(answered.tables[0].questions[2].answer ==
        "sync: server NIC limits it, 75 % of the critical path.");
  CHECK_THAT(answered.tables[0].questions[4].answer,
             Catch::StartsWith("Largest difference in a mean step: compute: "));
  CHECK(answered.tables[1].questions[4].answer.empty());  // not run
  CHECK(count(page_html(result_page("sheet", answered, {}), {}, ""), "<hr>") == 7 + 10);
  CHECK(to_json(cases).at("cases").at(1).at("limits").at("resource") == "worker CPU");
}

TEST_CASE("worksheet: a case that is not paired names the key in which the other mode differs") {
  Record longer = small_record(Mode::simulate, "sync");
  longer.scenario_case.scenario.training.steps = 9;
  const auto cases = worksheet_cases({small_record(Mode::run, "sync"), longer});
  REQUIRE(cases.size() == 2);
  const Result result = result_of(cases);
  CHECK(result.tables[0].text == " Another case of this name differs in training.steps.");
  CHECK(result.tables[1].text == result.tables[0].text);
}

TEST_CASE("worksheet: trainings that did not end are left out, and none is an error") {
  Record failed = small_record(Mode::run, "sync");
  failed.outcome = Outcome::failed;
  CHECK(worksheet_cases({failed, small_record(Mode::simulate, "sync")}).front().runs.empty());
  CHECK_THROWS_AS(worksheet_cases({failed}), InputError);
}

}  // namespace
}  // namespace foretrain::testing
