// A validation as people, as programs, as spreadsheets read it.
#include "reports/studies/validation/output.h"

#include "reports/show/figures/of_studies.h"
#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace foretrain {
namespace {

using namespace testing;

/// Six cases of sync: held, off, noisy.
Validation six_cases() {
  Validation v{{}, 3, 0};
  for (const char* workers : {"1", "2", "3", "4", "5", "6"}) {
    Times times{{100, 100, 100}, 101};
    if (*workers == '2') times.simulated_ms = 70;
    if (*workers == '3') times = {{50, 100, 150}, 120};
    v.cases.push_back(compare_times(case_with("sync", "training.workers", workers), times));
  }
  return v;
}

Figure accuracy_figure(const Validation& validation) {
  const auto json = to_json(validation);
  return accuracy_of_forecast(JsonObject(json, "validation:"));
}

}  // namespace

TEST_CASE("validation table: the sentence that matters comes first") {
  const std::string table = to_table(validate_times({{100}, 97}, {{50}, 53}));
  INFO(table);
  CHECK(table.substr(0, table.find("\n\n")) ==
        "Forecast of the step time: sync -3.0 %, async +6.0 %; weights of sync equal bit\n"
        "for bit. The order of the cases by gradients/s is kept.");
}

TEST_CASE("validation table: many cases are summed up first and have a line each") {
  const std::string table = to_table(six_cases());
  INFO(table);
  CHECK_THAT(table, Catch::StartsWith("Forecast of the step time: 5 of 6 cases held, median error "
                                      "sync 1.0 %; weights"));
  CHECK_THAT(table, Catch::Contains("  strategy workers  "));
  CHECK_THAT(table, Catch::Contains("  sync 2  ") && Catch::Contains("-30.0 %"));
  CHECK_THAT(table, Catch::Contains("\n      off; compute: measured 10 ms, predicted 7 ms\n"));
  CHECK_THAT(table, Catch::Contains("\n      noisy, between quartiles\n"));
  CHECK(table.find("bytes sent [") == std::string::npos);
  CHECK(table.find("examples/s") == std::string::npos);  // the metrics are in cases.csv
}

TEST_CASE("validation table: strategies have their worst case, goals their worst as well") {
  const std::string table = to_table(six_cases());
  INFO(table);
  CHECK_THAT(table, Catch::Contains("  sync               6      1    1.0 %   24.2 %   30.0 %  "
                                    "sync 2\n"));
  CHECK_THAT(table, Catch::Contains("24.2 %      0 of 1\n      worst: sync\n"));
}

TEST_CASE("validation table: it fits a terminal, whatever the figures") {
  Case wide = case_with("sync", "dataset.path", std::string(200, 'x'));
  Record huge = timed(Mode::run, wide, 9'000'000'000'000);
  huge.nodes[0].tx = {9'000'000'000'000'000'000};
  huge.nodes[0].rss = {9'000'000'000'000'000'000};
  huge.nodes[1].role = "worker1234567890123456789012345";
  huge.evals.back().loss = 1.234567e300;
  Record tiny = timed(Mode::simulate, wide, 1);
  tiny.nodes[1].role = huge.nodes[1].role;
  tiny.evals.back().loss = 1.2345e-300;
  Validation v = validate_times({{100}, 97}, {{50}, 153});
  v.cases.push_back(compare_case(wide, {{huge}, tiny}));
  const std::string table = to_table(v);
  INFO(table);
  CHECK(widest_line(table) <= 80);
  CHECK(widest_line(to_table(six_cases())) <= 80);
}

TEST_CASE("validation table: weights that differ are shouted") {
  const Case c = case_of("sync");
  Record simulated = timed(Mode::simulate, c, 100);
  simulated.weights_sha256[0] = 'b';
  const Validation v{{compare_case(c, {{timed(Mode::run, c, 100)}, simulated})}, 1, 0};
  CHECK_THAT(to_table(v), Catch::Contains("WEIGHTS OF sync DIFFER"));
}

TEST_CASE("validation table: a target that not all reached is told") {
  Case c = case_of("sync");
  c.scenario.training.until.accuracy = 0.9;
  const Validation v{{compare_times(c, {{100, 100}, 100})}, 2, 0};
  CHECK_THAT(to_table(v),
             Catch::Contains("target reached in 0 runs, not reached in the simulation"));
}

TEST_CASE("validation as JSON: one object a case and metric, errors by strategy") {
  const auto json = to_json(validate_times({{100}, 90}, {{50}, 60}));
  CHECK(json["repetitions"] == 1);
  const auto& first = json["cases"][0];
  CHECK(first["settings"]["training.strategy"] == "sync");
  CHECK(first["metric"] == "step_time_ms");
  CHECK(first["measured"].get<double>() == Approx(10));
  CHECK(first["predicted"].get<double>() == Approx(9));
  CHECK(first["error"].get<double>() == Approx(-0.1));
  CHECK(first["spread"].is_null());
  CHECK_FALSE(first.contains("node"));
  CHECK(json["strategies"]["sync"]["time_error_median"].get<double>() == Approx(0.1));
  CHECK(json["strategies"]["async"]["time_error_p95"].get<double>() == Approx(0.2));
  CHECK(json["strategies"]["async"]["time_error_max"].get<double>() == Approx(0.2));
  CHECK(json["strategies"]["async"]["worst_case"] == "async");
  CHECK(json["weights_equal"] == true);
  CHECK(json["replays_equal"].is_null());
  CHECK(json["order_kept"] == true);
  CHECK(json["order"]["kendall_tau"].get<double>() == Approx(1));
}

TEST_CASE("validation: errors are told apart as a table, as JSON, as CSV") {
  const Case c = case_of("sync");
  const auto compare = [&](std::int64_t predicted_ms) {
    return compare_case(c, {{timed(Mode::run, c, 100)}, timed(Mode::simulate, c, predicted_ms)}, {},
                        [&](const Record&) { return std::optional(timed(Mode::simulate, c, 98)); });
  };
  const Validation v{{compare(120), compare(101)}, 1, 0};
  const std::string table = to_table(v);
  INFO(table);
  CHECK_THAT(table, Catch::Contains("  sync              2.0 %     2.0 %     2.0 %    12.5 %"));
  CHECK_THAT(table, Catch::Contains("\n      of +20.0 %: protocol -2.0 %, compute +22.0 %\n"));
  CHECK_THAT(table, Catch::Contains("    of that protocol"));
  CHECK_THAT(table, Catch::Contains("the same, by the runs' own compute times"));
  CHECK(widest_line(table) <= 80);
  const auto json = to_json(v);
  CHECK(json["cases"][0]["protocol_error"].get<double>() == Approx(-0.02));
  CHECK(json["cases"][0]["compute_error"].get<double>() == Approx(0.22));
  CHECK(json["strategies"]["sync"]["protocol"]["step_time_error_median"].get<double>() ==
        Approx(0.02));
  CHECK(json["strategies"]["sync"]["compute"]["step_time_error_max"].get<double>() == Approx(0.22));
  CHECK_THAT(cases_csv(v), Catch::Contains("\nsync,sync,step_time_ms,,10,10,10,,12,12,12,0.1999") &&
                               Catch::Contains(",-0.02"));
  const auto unknown = to_json(validate_times({{100}, 90}, {{50}, 60}));
  CHECK(unknown["cases"][0]["protocol_error"].is_null());
  CHECK(unknown["strategies"]["sync"]["protocol"].is_null());
}

TEST_CASE("validation as JSON: nodes, verdicts, goals are there") {
  const auto json = to_json(six_cases());
  const auto& rows = json["cases"];
  CHECK(std::ranges::count_if(rows, [](const auto& row) {
          return row["metric"] == "cpu_percent" && row["node"] == "server0";
        }) == 6);
  CHECK(json["verdicts"].size() == 6);
  CHECK(json["verdicts"][1]["verdict"] == "off");
  CHECK(json["verdicts"][1]["why"]["phase"] == "compute");
  CHECK(json["verdicts"][0]["why"].is_null());
  CHECK(json["verdicts"][2]["noisy"] == true);
  const auto goals = json["goals"];
  const auto tail = std::ranges::find_if(
      goals, [](const auto& goal) { return goal["goal"] == "step time, 95th percentile of each"; });
  REQUIRE(tail != goals.end());
  CHECK((*tail)["is_met"] == false);
  CHECK((*tail)["limit"].template get<double>() == Approx(12));
  CHECK((*tail)["worst"] == "sync");
}

TEST_CASE("validation as CSV: a row a case and metric, unknown figures are empty") {
  const std::string csv = cases_csv(validate_times({{100}, 90}, {{50}, 60}));
  CHECK_THAT(csv, Catch::StartsWith("case,strategy,metric,node,measured,q1,q3,spread,predicted,"
                                    "predicted_low,predicted_high,error,protocol_error,"
                                    "compute_error\n"
                                    "sync,sync,step_time_ms,,10,10,10,,9,9,9,-0."));
  CHECK_THAT(csv, Catch::Contains("\nasync,async,rss_bytes,worker1,2000000,"));
}

TEST_CASE("figure of a validation: marks by strategy, a diagonal with its bands") {
  const Figure figure = accuracy_figure(validate_times({{100}, 90}, {{50}, 60}));
  REQUIRE(figure.panels.size() == 2);
  const Panel& times = figure.panels[0];
  CHECK(times.log_x());
  CHECK(times.log_y());
  REQUIRE(times.series.size() == 7);
  CHECK(times.series[0].mark == Mark::guide);
  CHECK(times.series[0].x == times.series[0].y);
  CHECK(times.series[0].x[0] < 5);
  CHECK(times.series[0].x[1] > 10);
  CHECK(times.series[3].y[0] == Approx(1.1 * times.series[3].x[0]));
  CHECK(times.series[5].title == "sync");
  CHECK(times.series[5].mark == Mark::points);
  CHECK(times.series[5].x == std::vector<double>{10});
  CHECK(times.series[5].y[0] == Approx(9));
  const Panel& errors = figure.panels[1];
  CHECK(errors.categories == std::vector<std::string>{"sync", "async"});
  CHECK(errors.series.back().x == std::vector<double>{1});
  CHECK(errors.series.back().y[0] == Approx(20));
  CHECK_FALSE(errors.stacks(errors.series.back()));
  CHECK(times.series[5].names == std::vector<std::string>{"sync"});
  CHECK(figure.title == "study: async forecast 20 % too slow in its case, the furthest off of 2");
  CHECK(figure.source == "run on bench, avx2 kernels, 1 time a case; simulated on bench");
  CHECK(accuracy_figure(Validation{}).panels.empty());
}

TEST_CASE("figure of a validation: its title says what was found") {
  const auto title_by = [](std::int64_t one_ms, std::int64_t other_ms) {
    Validation v;
    v.repetitions = 1;
    for (const char* workers : {"1", "2", "3"}) {
      v.cases.push_back(compare_times(case_with("async", "training.workers", workers),
                                      {{100}, workers[0] == '3' ? other_ms : one_ms}));
    }
    return accuracy_figure(v).title;
  };
  CHECK(title_by(92, 150) == "study: async forecast 8 % too fast in the median of 3 cases");
  CHECK(title_by(104, 150) == "study: async forecast 4 % too slow in the median of 3 cases");
  CHECK(title_by(100, 150) == "study: async forecast as measured in the median of 3 cases");
  CHECK(accuracy_figure(validate_times({{100}, 100}, {{50}, 50})).title ==
        "study: all 2 strategies forecast as measured in the median");
}

TEST_CASE("figure of a validation: gnuplot draws it") {
  if (std::system("command -v gnuplot > /dev/null") != 0) {
    WARN("gnuplot was not found: no figure is drawn in this test");
    return;
  }
  const TemporaryFolder folder;
  const auto svg = draw(accuracy_figure(six_cases()), folder.path());
  CHECK_THAT(read_text(svg), Catch::StartsWith("<?xml") && Catch::Contains("error by strategy") &&
                                 Catch::Contains("</svg>"));
}

}  // namespace foretrain
