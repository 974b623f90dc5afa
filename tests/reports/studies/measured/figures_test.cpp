// Measured tables: errors name file, line, column.
#include "reports/studies/measured/figures.h"

#include "tests/reports/support.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::string kAllColumns = "scenario,series,role,devices,set,quantity,value,unit,note\n";
const std::string kBaseRow = "s.yaml,a,base,1,,throughput,100,images/s,page 1\n";

std::vector<MeasuredFigure> read_as_measured(const std::string& text,
                                             const std::string& scenario = {}) {
  const TemporaryFolder folder;
  write_text(folder.path() / "mine.csv", text);
  return read_figures(folder.path() / "mine.csv", scenario);
}

TEST_CASE("measured tables: two columns are enough where the scenario is named") {
  const auto figures = read_as_measured("quantity,value\nstep_time,0.25\n", "mine/job.yaml");
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].scenario == "mine/job.yaml");
  CHECK(figures[0].study == "job");
  CHECK(figures[0].title == "step_time");
  CHECK(figures[0].is_judged());
}

TEST_CASE("measured tables: a row has what its scenario is set to, beside its figure") {
  const auto figures = read_as_measured(
      "# a comment\n" + kAllColumns + kBaseRow +
      "s.yaml,a,forecast,8,training.workers=8;framework.step=3 ms,throughput,700,images/s,\n");
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].role == "base");
  CHECK(figures[0].settings.empty());
  CHECK(figures[0].note == "page 1");
  CHECK(figures[0].scenario.filename() == "s.yaml");
  CHECK(figures[0].study == "s");
  CHECK(figures[1].settings ==
        std::vector<std::string>{"training.workers=8", "framework.step=3 ms"});
  CHECK(figures[1].title == "8 x a");
  CHECK(figures[1].value == 700);
  CHECK(figures[1].is_rate());
}

TEST_CASE("measured tables: a scenario that is named leaves the rows of others out") {
  const TemporaryFolder folder;
  write_text(folder.path() / "mine.csv",
             kAllColumns + kBaseRow + "t.yaml,a,forecast,1,,step_time,1,s,\n");
  CHECK(read_figures(folder.path() / "mine.csv", {}).size() == 2);
  CHECK(read_figures(folder.path() / "mine.csv", folder.path() / "t.yaml").size() == 1);
  const std::string none =
      error_of([&] { read_figures(folder.path() / "mine.csv", folder.path() / "u.yaml"); });
  CHECK_THAT(none, Catch::Contains("has no figure of") && Catch::Contains("t.yaml"));
}

TEST_CASE("measured tables: what is wrong has its file, line, column") {
  const std::string good = kAllColumns + kBaseRow;
  const auto [text, message] = GENERATE_COPY(table<std::string, std::string>({
      {"quantity\nstep_time\n", "mine.csv:1: column value is missing; write it"},
      {"quantity,value,speed\n",
       "mine.csv:1: 'speed' is no column of this table; write columns of quantity,"},
      {"quantity,value,value\n", "mine.csv:1: column value occurs twice; remove one"},
      {"quantity,value\n", "mine.csv: no figures; write a row for each"},
      {"quantity,value\nstep_time,1\n", "mine.csv:2: the scenario is not known; name it"},
      {good + "s.yaml,a\n", "mine.csv:3: 2 values under 9 columns"},
      {good + "s.yaml,a,guess,1,,throughput,1,images/s,\n",
       "mine.csv:3: role: 'guess' is not known; write forecast, fitted, base"},
      {good + "s.yaml,a,,-1,,throughput,1,images/s,\n", "mine.csv:3: devices: '-1'"},
      {good + "s.yaml,a,,1,workers,throughput,1,images/s,\n",
       "mine.csv:3: set: 'workers' is no setting; write KEY=VALUE"},
      {good + "s.yaml,a,,1,,speed,1,images/s,\n",
       "mine.csv:3: quantity: 'speed' is not known; write"},
      {good + "s.yaml,a,,1,,,1,images/s,\n", "mine.csv:3: quantity: is empty"},
      {good + "s.yaml,a,,1,,throughput,-1,images/s,\n", "mine.csv:3: value: is below 0"},
      {good + "s.yaml,a,,1,,throughput,one,images/s,\n", "mine.csv:3: value: 'one'"},
      {good + "s.yaml,a,,1,,throughput,1,furlongs,\n",
       "mine.csv:3: unit: 'furlongs' is no unit of throughput; write images/s"},
      {good + "s.yaml,a,,1,,throughput,1,ms,\n", "mine.csv:3: unit: 'ms' is no unit of throughput"},
      {good + kBaseRow, "mine.csv:3: role: a of s has a base already"},
      {good + "s.yaml,,base,1,,throughput,1,images/s,\n", "mine.csv:3: series: is empty"},
      {good + "s.yaml,b,base,1,,throughput,0,images/s,\n", "mine.csv:3: value: is not above 0"},
      {good + "s.yaml,a,,2,,step_time,1,s,\n",
       "mine.csv:3: quantity: a of s has throughput in images/s in earlier rows"},
  }));
  CAPTURE(text);
  CHECK_THAT(error_of([&, &given = text] { read_as_measured(given); }), Catch::Contains(message));
}

}  // namespace
}  // namespace foretrain::testing
