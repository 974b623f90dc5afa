// The tables of published studies leave nothing out, fit where they are read.
#include "reports/studies/published/tables.h"

#include "reports/record/text.h"
#include "reports/show/page/sections.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace foretrain {
namespace {

/// Of each role one prediction, all 10 % above what was reported.
std::vector<Prediction> of_each_role() {
  std::vector<Prediction> predictions;
  for (const Role role : {Role::fitted, Role::forecast, Role::given, Role::unexplained,
                          Role::artefact, Role::impossible, Role::unknown}) {
    Prediction each;
    each.role = role;
    each.reported.study = "a_study_of_some_length";
    each.reported.table = "a_table_with_a_long_name";
    each.reported.mode = "all_reduce";
    each.reported.workers = 3;
    each.reported.batch_size = 512;
    each.reported.metric = "network_" + name_of(role);
    each.reported.value = 123'456'789;
    each.reported.unit = "packets/s";
    if (role != Role::unknown) each.predicted = 1.1 * each.reported.value;
    each.from = "simulate; file.yaml case 1; machine made-up";
    predictions.push_back(each);
  }
  return predictions;
}

TEST_CASE("published tables: no line is wider than a terminal and no figure is left out") {
  const std::string table = to_table(of_each_role(), {});
  std::istringstream lines(table);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(columns_of(line) <= kTerminalColumns);
    if (line.find("network_") != std::string::npos) ++rows;
  }
  CHECK(rows == 7);
}

TEST_CASE("published tables: files have every figure with where it comes from") {
  const auto predictions = of_each_role();
  const std::string markdown = errors_markdown(predictions, {});
  const std::string csv = errors_csv(predictions);
  const auto json = to_json(predictions, {});
  CHECK(json.at("figures").size() == predictions.size());
  for (const Prediction& each : predictions) {
    CHECK(markdown.find("| " + each.reported.title() + " |") != std::string::npos);
    CHECK(csv.find(each.reported.title() + ",packets/s,123456789,") != std::string::npos);
  }
  CHECK(markdown.find("| +10.0 % | forecast | simulate; file.yaml case 1; machine made-up |") !=
        std::string::npos);
}

TEST_CASE("published tables: a study is judged by its forecasts alone") {
  auto predictions = of_each_role();
  predictions.push_back(predictions[1]);
  predictions.back().predicted = 2 * predictions.back().reported.value;
  const auto summaries = summarize(predictions);
  REQUIRE(summaries.size() == 1);
  CHECK(summaries[0].figures == 8);
  CHECK(summaries[0].fitted == 1);
  CHECK(summaries[0].forecasts == 2);
  CHECK(summaries[0].near == 1);
  CHECK(summaries[0].median_error == Approx(0.55));
  CHECK(summaries[0].not_explained == 3);
  CHECK(summaries[0].without == 1);
}

TEST_CASE(
    "published page: every figure has a row, each study its drawing, each claim its answers") {
  const auto predictions = of_each_role();
  ClaimAnswers claim;
  claim.claim.text = "more is more";
  claim.reported = Answered{2, 1, true};
  const Page page = published_page(predictions, {claim});
  CHECK(page.sentence == summary_sentence(summarize(predictions)));
  REQUIRE(page.sections.size() == 3);
  const Section& study = page.sections[1];
  REQUIRE(study.tables.size() == 1);
  CHECK(study.tables[0].rows.size() == predictions.size());
  for (const auto& row : study.tables[0].rows) CHECK(row.size() == study.tables[0].columns.size());
  REQUIRE(study.figures.size() == 1);
  const auto& cells = page.sections[2].tables.at(0).rows.at(0);
  CHECK(cells[0].text == "more is more");
  CHECK(cells[2].text == sentence(claim.reported));
  CHECK(cells[3].text == "-");
}

}  // namespace
}  // namespace foretrain
