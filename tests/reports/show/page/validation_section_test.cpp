// What the page of a validation says of cores, of ranges.
#include "reports/show/page/sections.h"
#include "reports/studies/validation/output.h"
#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace foretrain::testing {
namespace {

const Table* table_called(const Section& section, const std::string& title) {
  const auto found = std::ranges::find(section.tables, title, &Table::title);
  return found == section.tables.end() ? nullptr : &*found;
}

/// The text of a row under a column; `(none)` where the table has no such column.
std::string cell(const Table& table, std::size_t row, const std::string& column) {
  const auto found = std::ranges::find(table.columns, column, &Table::Column::name);
  if (found == table.columns.end()) return "(none)";
  return table.rows.at(row).at(static_cast<std::size_t>(found - table.columns.begin())).text;
}

Section section_of(const nlohmann::ordered_json& json) {
  return validation_section(JsonObject(json, "validation:"));
}

Validation with_distances(const Record& simulated) {
  const Case c = case_of("sync");
  return {
      {compare_case(
          c, {{timed_on(c, 100, 1, CoreDistance::near), timed_on(c, 100, 1, CoreDistance::near),
               timed_on(c, 200, 1, CoreDistance::far), timed_on(c, 100, 1, CoreDistance::mixed)},
              simulated})},
      4,
      0};
}

}  // namespace

TEST_CASE("validation section: shares of core distances, errors of trainings alike") {
  const Validation validation = with_distances(calibrated(case_of("sync"), 103));
  const Section section = section_of(to_json(validation));
  const Table* cores = table_called(section, "How far apart the cores were");
  REQUIRE(cores != nullptr);
  CHECK(cell(*cores, 0, "cores") == "near");
  CHECK(cell(*cores, 0, "of the trainings [%]") == "50.0");
  CHECK(cell(*cores, 0, "calibrated so") == "yes");
  CHECK(cell(*cores, 1, "of the trainings [%]") == "25.0");
  CHECK(cell(*cores, 1, "calibrated so").empty());
  const Table* strategies = table_called(section, "Error of the step time by strategy");
  REQUIRE(strategies != nullptr);
  CHECK(cell(*strategies, 0, "cores alike: median [%]") == "3.0");
  const Table* cases = table_called(section, "Step time of each case");
  REQUIRE(cases != nullptr);
  CHECK(cell(*cases, 0, "cores") == "near 50 %, far 25 %, mixed 25 %");
}

TEST_CASE("validation section: the range of a forecast on a machine that wanders") {
  const Case c = case_of("sync");
  Record simulated = calibrated(c, 100);
  const Table steady =
      *table_called(section_of(to_json(with_distances(simulated))), "Step time of each case");
  CHECK(cell(steady, 0, "range [ms]") == "(none)");
  simulated.calibrated.alone = {{10'000'000}, {9'000'000}, {12'000'000}};
  simulated.calibrated.together = {{20'000'000}, {18'000'000}, {24'000'000}};
  const Table wandering =
      *table_called(section_of(to_json(with_distances(simulated))), "Step time of each case");
  CHECK(cell(wandering, 0, "range [ms]") == "9 to 12");
  CHECK(cell(steady, 0, "measured in range") == "(none)");
  CHECK(cell(wandering, 0, "measured in range") == "within");
  simulated.time = {130'000'000};
  for (StepRow& row : simulated.steps) row.report.phases.compute = {13'000'000};
  const Table missed =
      *table_called(section_of(to_json(with_distances(simulated))), "Step time of each case");
  CHECK(cell(missed, 0, "range [ms]") == "11.7 to 15.6");
  CHECK(cell(missed, 0, "measured in range") == "outside");
}

TEST_CASE("validation section: of an older validation the cores of all runs of a case together") {
  auto json = to_json(with_distances(calibrated(case_of("sync"), 103)));
  json["verdicts"][0].erase("core_distances");
  json["cases"][0].erase("in_range");
  const Table cases = *table_called(section_of(json), "Step time of each case");
  CHECK(cell(cases, 0, "cores") == "mixed");
}

TEST_CASE("validation section: of records that know nothing of cores nothing is said") {
  const Section section = section_of(to_json(validate_times({{100}, 90}, {{50}, 60})));
  CHECK(table_called(section, "How far apart the cores were") == nullptr);
  CHECK(cell(*table_called(section, "Step time of each case"), 0, "cores") == "(none)");
}

}  // namespace foretrain::testing
