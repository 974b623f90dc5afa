// Forecasts of a measured table: base rows calibrate them, the other rows judge them.
#include "reports/studies/measured/forecast_rows.h"

#include "reports/record/json_object.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/terminal/result_text.h"
#include "scenarios/resolve/placement.h"
#include "tests/reports/support.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <sstream>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

using namespace literals;

/// A training whose steps take the gradient's time plus 10 ms for each other worker, with the same
/// number of updates as staleness.
Record ten_ms_a_worker(const Case& each) {
  Record record;
  record.scenario_case = each;
  const int workers = node_counts(each.scenario).workers;
  const Duration step = *each.scenario.cluster.hosts.front().compute + 10_ms * workers;
  StepRow row{0, {}};
  row.report.phases.compute = step;
  row.report.staleness = workers - 1;
  record.steps = {row};
  NodeTotals worker;
  worker.role = "worker0";
  record.nodes = {worker};
  record.time = step;
  record.updates = workers;
  return record;
}

/// A scenario in its own folder, with a table beside it.
class SmallStudy {
 public:
  explicit SmallStudy(const std::string& strategy) {
    write_text(folder_.path() / "layers.csv",
               "layer,parameter_bytes,forward_ms,backward_ms\none,4000,1,2\n");
    write_text(folder_.path() / "small.yaml",
               "foretrain: 1\nname: small\nmodel: {profile: layers.csv}\n"
               "training: {strategy: " +
                   strategy +
                   ", workers: 1, batch_size: 10, steps: 2}\n"
                   "cluster: {hosts: [{name: n, count: 8, cores: 2, nic: 1 Gbps, compute: 5 ms}]}\n"
                   "numerics: off\n");
  }

  [[nodiscard]] std::vector<FigureForecast> forecast(const std::string& rows) const {
    write_text(folder_.path() / "mine.csv", "series,role,devices,set,quantity,value,unit\n" + rows);
    ForecastOptions options;
    options.threads = 2;
    options.simulate = [&](const Case& each) {
      ++simulations;
      return ten_ms_a_worker(each);
    };
    simulations = 0;
    return forecast_figures(
        read_figures(folder_.path() / "mine.csv", folder_.path() / "small.yaml"), options);
  }

  mutable std::atomic<int> simulations = 0;

 private:
  TemporaryFolder folder_;
};

const std::string kRates =
    "a,base,1,,throughput,200,images/s\n"
    "a,fitted,2,training.workers=2,throughput,1,images/s\n"
    "a,forecast,4,training.workers=4,throughput,400,images/s\n";

TEST_CASE("measured: what a gradient takes is what the base leaves, so the base is met") {
  const auto forecasts = SmallStudy("all_reduce").forecast(kRates);
  REQUIRE(forecasts.size() == 3);
  // Ten examples at 200 a second: steps of 50 ms, so gradients of 40 ms; with four workers steps of
  // 80 ms.
  CHECK(forecasts[0].forecast.value() == Approx(200).epsilon(kBaseError));
  CHECK(forecasts[1].forecast.value() == Approx(2 * 10 / 0.060).epsilon(kBaseError));
  CHECK(forecasts[2].forecast.value() == Approx(4 * 10 / 0.080).epsilon(kBaseError));
  CHECK(forecasts[2].linear == 800);
  CHECK(forecasts[2].error().value() == Approx(0.25).epsilon(0.01));
  CHECK(forecasts[2].linear_error().value() == Approx(1));
}

TEST_CASE("measured: without a base the scenario's own gradient counts, simulated once") {
  const SmallStudy study("all_reduce");
  const auto forecasts = study.forecast(
      ",,,training.workers=2,step_time,20,ms\n"
      ",,,training.workers=2,throughput,800,images/s\n"
      ",unknown,,,,7,\n");
  CHECK(study.simulations == 1);
  CHECK(forecasts[0].forecast.value() == Approx(25));
  CHECK(forecasts[1].forecast.value() == Approx(2 * 10 / 0.025));
  CHECK_FALSE(forecasts[2].forecast);
  CHECK_FALSE(forecasts[0].linear);
}

TEST_CASE("measured: linear scaling of a step time is the base's, of a collective nothing") {
  const SmallStudy study("all_reduce");
  const auto step = study.forecast(
      "a,base,1,,step_time,0.05,s\n"
      "a,forecast,4,training.workers=4,step_time,0.1,s\n");
  CHECK(step[1].forecast.value() == Approx(0.08).epsilon(kBaseError));
  CHECK(step[1].linear == 0.05);
  const auto alone = study.forecast(
      "c,base,2,training.workers=2,collective_time,0.05,s\n"
      "c,forecast,4,training.workers=4,collective_time,0.1,s\n");
  CHECK(alone[1].forecast.value() == Approx(0.07).epsilon(kBaseError));
  CHECK_FALSE(alone[1].linear);
  CHECK_THAT(result_of(alone).sentence, !Catch::Contains("linear"));
}

TEST_CASE("measured: neither a base nor a fitted figure counts among the forecasts") {
  const auto errors = errors_of(SmallStudy("all_reduce").forecast(kRates));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].name == "small");
  CHECK(errors[0].figures == 3);
  CHECK(errors[0].fitted == 2);
  CHECK(errors[0].forecasts == 1);
  CHECK(errors[0].median == Approx(0.25).epsilon(0.01));
  CHECK(errors[0].near == 0);
  CHECK(errors[0].linear_median.value() == Approx(1));
}

TEST_CASE("measured: of those that are asynchronous the mean staleness is told") {
  const std::string rows =
      "a,base,1,,updates_per_s,20,updates/s\n"
      "a,forecast,4,training.workers=4,updates_per_s,50,updates/s\n";
  CHECK(SmallStudy("async").forecast(rows).at(1).staleness_mean == 3);
  CHECK_FALSE(SmallStudy("all_reduce").forecast(rows).at(1).staleness_mean);
}

TEST_CASE("measured: what cannot be forecast is told by its row") {
  const SmallStudy study("all_reduce");
  const auto [rows, message] = GENERATE_COPY(table<std::string, std::string>({
      {"a,base,1,,step_time,0.001,s\n", "mine.csv:2: value: the base's messages alone take longer"},
      {",,,training.wokers=2,step_time,1,s\n", "wokers"},
      {",,,sweep.training.workers=[1%2],step_time,1,s\n", "mine.csv:2: "},
      {"a,base,1,,step_time,0.05,s\na,,2,cluster.hosts[0].compute=null,step_time,1,s\n",
       "mine.csv:3: "},
  }));
  CAPTURE(rows);
  CHECK_THAT(error_of([&, &given = rows] { static_cast<void>(study.forecast(given)); }),
             Catch::Contains(message));
}

TEST_CASE("measured: a quantity that the simulation has not is told beside its row") {
  const auto forecasts = SmallStudy("all_reduce").forecast(",,,,test_accuracy,90,percent\n");
  CHECK_FALSE(forecasts.at(0).forecast);
  CHECK_THAT(to_csv(result_of(forecasts).tables[0]),
             Catch::Contains("simulate: the simulation has no test_accuracy"));
}

TEST_CASE("measured: text, CSV, JSON have the same figures; text fits a terminal") {
  const Result result = result_of(SmallStudy("all_reduce").forecast(kRates));
  CHECK_THAT(result.sentence, Catch::StartsWith("1 of 3 figures are forecast: off by 25.0 %"));
  REQUIRE(result.tables.size() == 1);
  std::istringstream lines(to_text(result, false));
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 80);
    if (line.ends_with("base") || line.ends_with("fitted") || line.ends_with("forecast")) ++rows;
  }
  CHECK(rows == 3);
  const auto json = to_json(result);
  REQUIRE(json["figures"].size() == 3);
  CHECK(json["figures"][2]["measured"] == 400);
  CHECK(json["figures"][0]["staleness_mean"].is_null());
  CHECK_THAT(to_csv(result.tables[0]), Catch::Contains("small,4 x a,images/s,400,") &&
                                           Catch::StartsWith("study,figure,unit,measured,"));
}

TEST_CASE("measured: the drawing has a panel a unit, its title says how many are near") {
  const auto forecasts =
      SmallStudy("all_reduce")
          .forecast(kRates + ",,,training.workers=2,step_time,26,ms\n,given,,,,7,h\n");
  const Figure drawn = measured_figure(forecasts, result_of(forecasts));
  CHECK(drawn.title == "1 of 2 forecasts within 15 % of what was measured");
  CHECK(drawn.panels.size() == 2);
}

TEST_CASE("results: a row is read from an object by the names of the columns") {
  const nlohmann::ordered_json json{
      {"case", "a"}, {"held", true}, {"step", {{"low", 2.5}}}, {"why", nullptr}};
  ResultTable table{"t",
                    "T",
                    {{"case", "case", ResultColumn::Kind::words},
                     {"step.low", "low"},
                     {"held", "held", ResultColumn::Kind::words},
                     {"why.phase", "why", ResultColumn::Kind::words}},
                    {}};
  add_row(table, JsonObject(json, "a file:"), "held");
  CHECK(to_csv(table) == "case,step.low,held,why.phase\na,2.5,yes,\n");
  CHECK(table.rows[0].good == std::optional(true));
  const nlohmann::ordered_json wrong{{"step", 3}};
  CHECK_THROWS_WITH(add_row(table, JsonObject(wrong, "a file:")),
                    Catch::StartsWith("a file: step: is not an object"));
}

TEST_CASE("results: unasked people see ten rows, those that are farthest off") {
  Result result{"A sentence.",
                {{"t",
                  "T",
                  {{"name", "name", ResultColumn::Kind::words},
                   {"error", "error", ResultColumn::Kind::change, true},
                   {"why", "why", ResultColumn::Kind::comment}},
                  {}}},
                "S."};
  for (int i = 0; i < 15; ++i) {
    result.tables[0].rows.push_back({{fmt::format("row{}", i), i / -100.0, "because"}, i > 10});
  }
  const std::string brief = to_text(result, false);
  CHECK_THAT(brief, Catch::Contains("row14") && Catch::Contains("-14.0 %") &&
                        Catch::Contains("row5") && !Catch::Contains("row4 ") &&
                        Catch::Contains("10 of 15 rows; --full has all.") &&
                        !Catch::Contains("because"));
  CHECK(brief.find("row14") < brief.find("row13"));
  CHECK_THAT(to_text(result, true), Catch::Contains("row0") && !Catch::Contains("--full"));
}

}  // namespace
}  // namespace foretrain::testing
