// Reported figures are read, each with the way in which it is predicted.
#include "reports/studies/published/reported.h"

#include "reports/studies/published/claims.h"
#include "reports/studies/published/measured.h"
#include "tests/reports/support.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::string kReported =
    "# a comment\n"
    "study,table,model,mode,workers,batch_size,node,interface,metric,statistic,value,unit\n"
    "s,t,lenet,sync,3,64,1,lo,network_rx,mean,52.1,Mbit/s\n"
    "\n"
    "s,t,lenet,async,-,-,-,-,memory,low,500,MB\n";
const std::string kReadings =
    "study,table,mode,workers,batch_size,node,interface,metric,scenario,quantity,role,note\n";

std::string written(const TemporaryFolder& folder, const std::string& text) {
  write_text(folder.path() / "table.csv", text);
  return (folder.path() / "table.csv").string();
}

ReportedFigure first_figure(const TemporaryFolder& folder) {
  return read_reported(written(folder, kReported)).at(0);
}

TEST_CASE("published: a dash stands for what is not reported") {
  const TemporaryFolder folder;
  const auto figures = read_reported(written(folder, kReported));
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].workers == 3);
  CHECK(figures[0].batch_size == 64);
  CHECK(figures[0].value == 52.1);
  CHECK(figures[0].title() == "network_rx: t sync 3x64 node1 lo");
  CHECK(!figures[1].workers);
  CHECK(figures[1].node.empty());
  CHECK(figures[1].title() == "memory (low): t async");
}

TEST_CASE("published: a damaged table is an error with its file and line") {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) {
    return error_of([&] { read_reported(written(folder, text)); });
  };
  CHECK(error("study,table\n").find("table.csv:1: the columns have to be study,table,model") !=
        std::string::npos);
  CHECK(error(kReported + "s,t\n").find("table.csv:6: 2 values under 12 columns") !=
        std::string::npos);
  CHECK(error(kReported + "s,t,m,sync,x,-,-,-,cpu,-,1,-\n").find("'x' is not a whole number") !=
        std::string::npos);
  CHECK(error(kReported + "s,t,m,sync,1,-,-,-,cpu,-,one,-\n").find("'one' is not a number") !=
        std::string::npos);
  CHECK(error("").find("no columns; write study,table") != std::string::npos);
}

TEST_CASE("published: the first reading that fits a figure counts") {
  const TemporaryFolder folder;
  const ReportedFigure figure = first_figure(folder);
  const auto readings = read_readings(
      written(folder, kReadings + "s,t,sync,2,*,*,*,*,two.yaml,time,forecast,\n"
                                  "s,*,sync,3,*,*,lo,*,three.yaml,cpu,fitted,said why\n"
                                  "*,*,*,*,*,*,*,*,-,-,unknown,\n"));
  const FigureReading& reading = reading_of(figure, readings);
  CHECK(reading.scenario == "three.yaml");
  CHECK(reading.quantity == "cpu");
  CHECK(reading.role == Role::fitted);
  CHECK(reading.note == "said why");
  const auto without = error_of([&] {
    reading_of(figure, {readings.begin(), readings.begin() + 1});
  });
  CHECK(without.find("no row of readings.csv fits") != std::string::npos);
}

TEST_CASE("published: a quantity or a role that there is not is refused") {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& row) {
    return error_of([&] { read_readings(written(folder, kReadings + row)); });
  };
  CHECK(error("*,*,*,*,*,*,*,*,a.yaml,speed,forecast,\n").find("no quantity is called 'speed'") !=
        std::string::npos);
  CHECK(error("*,*,*,*,*,*,*,*,a.yaml,time,guess,\n").find("no role is called 'guess'") !=
        std::string::npos);
}

TEST_CASE("published: what was measured is read, and found by its case") {
  const TemporaryFolder folder;
  CHECK(read_measured((folder.path() / "none.csv").string()).empty());
  const auto rows = read_measured(
      written(folder,
              "scenario,case,quantity,median,low,high,seeds,mode,machine,date\n"
              "a.yaml,2,test_accuracy,0.8,0.7,0.9,3,run,avx2 on 2 cores,2026-11-22\n"));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].median == 0.8);
  CHECK(rows[0].low == 0.7);
  CHECK(rows[0].high == 0.9);
  CHECK(rows[0].seeds == 3);
  CHECK(find_measured(rows, "a.yaml", 2, "test_accuracy") == rows.data());
  CHECK(find_measured(rows, "a.yaml", 1, "test_accuracy") == nullptr);
}

TEST_CASE("published: a claim holds where its two figures differ enough") {
  const auto [metric, relation, first, second, holds] =
      GENERATE(table<std::string, std::string, double, double, bool>(
          {{"time", "<", 10, 12, true},
           {"time", "<", 11.9, 12, false},
           {"time", "~", 11.9, 12, true},
           {"time", ">", 10, 12, false},
           {"test_accuracy", ">", 98.6, 98.0, true},
           {"test_accuracy", ">", 98.4, 98.0, false},
           {"test_accuracy", "~", 98.4, 98.0, true}}));
  CAPTURE(metric, relation, first, second);
  Claim claim;
  claim.study = "s";
  claim.metric = metric;
  claim.relation = relation;
  claim.first = "t/sync/2/-";
  claim.second = "t/async/2/-";
  std::vector<Prediction> predictions(2);
  for (Prediction& each : predictions) {
    each.role = Role::forecast;
    each.reported.study = "s";
    each.reported.table = "t";
    each.reported.workers = 2;
    each.reported.metric = metric;
  }
  predictions[0].reported.mode = "sync";
  predictions[1].reported.mode = "async";
  predictions[0].reported.value = first;
  predictions[1].reported.value = second;
  predictions[0].predicted = second;  // the other way round
  predictions[1].predicted = first;
  const auto answers = answer({claim}, predictions, {});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].reported->holds == holds);
  CHECK(!answers[0].executor);
  if (relation != "~") CHECK(!(answers[0].simulator->holds && holds));
  predictions[0].role = Role::artefact;
  CHECK(!answer({claim}, predictions, {})[0].simulator);
}

}  // namespace
}  // namespace foretrain::testing
