// A validation as text, as JSON, as tables.
#include "reports/studies/validation/output.h"

#include "reports/record/json_object.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/page/sections.h"
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

std::string csv_of(const Validation& validation) {
  const auto json = to_json(validation);
  return to_csv(metrics_table(JsonObject(json, "validation:")));
}

Figure accuracy_figure(const Validation& validation) {
  const auto json = to_json(validation);
  return accuracy_of_forecast(JsonObject(json, "validation:"));
}

}  // namespace

TEST_CASE("validation: the sentence that matters comes first, then a row a case") {
  const Validation v = validate_times({{100}, 97}, {{50}, 60});
  const std::string text = text_of(v, false);
  INFO(text);
  CHECK(text.substr(0, text.find("\n\n")) ==
        "Forecast of the step time: sync -3.0 %, async +20.0 %; 1 of 2 measured in its\nrange; "
        "weights of sync equal bit for bit; the cases are in the right order by\ngradients/s.");
  CHECK_THAT(
      words_of(v, false),
      Catch::Contains(" sync 10 9.7 -3.0 % 8.245 11.16 yes 0.875 async 5 6 +20.0 % 5.1 6.9 no") &&
          Catch::Contains(" Basis: run on bench, avx2 kernels, 1 time a case;"));
  CHECK(std::ranges::count(text, '\n') <= 12);
  CHECK(widest_line(text) <= 80);
}

TEST_CASE("validation: of very many cases a strategy has a row, with everything each case") {
  Validation many = six_cases();
  const Validation again = six_cases();
  many.cases.insert(many.cases.end(), again.cases.begin(), again.cases.end());
  const std::string text = text_of(many, false);
  INFO(text);
  CHECK_THAT(words_of(many, false),
             Catch::StartsWith("Median error of the forecast of the step time: sync 1.0 %; 8 of 12 "
                               "measured in its range;") &&
                 Catch::Contains(" sync 12 2 1.0 % 30.0 % 30.0 %"));
  CHECK(std::ranges::count(text, '\n') <= 14);
  const std::string full = text_of(many, true);
  CHECK_THAT(full, Catch::Contains("sync, workers=2") && Catch::Contains("-30.0 %") &&
                       Catch::Contains("noisy, inside quartiles"));
  CHECK(full.find("Every metric") == std::string::npos);  // they are in cases.csv
}

TEST_CASE("validation: with everything, the goals and what differs most") {
  const std::string text = text_of(six_cases(), true);
  INFO(text);
  CHECK_THAT(text, Catch::Contains("\nGoals of the project\n") &&
                       Catch::Contains("step time, 95th percentile of each"));
  CHECK_THAT(words_of(six_cases(), true),
             Catch::Contains(" sync, workers=2 10 7 -30.0 % 5.95 8.05 no") &&
                 Catch::Contains(" sync, workers=2 0.0 % off compute 10 7"));
  CHECK(widest_line(text) <= 80);
}

TEST_CASE("validation: it fits a terminal, whatever the figures") {
  Case wide = case_with("sync", "dataset.path", std::string(200, 'x'));
  Record huge = timed(Mode::run, wide, 9'000'000'000'000);
  huge.nodes[0].tx = {9'000'000'000'000'000'000};
  huge.nodes[0].rss = Bytes{9'000'000'000'000'000'000};
  huge.nodes[1].role = "worker1234567890123456789012345";
  huge.evals.back().loss = 1.234567e300;
  Record tiny = timed(Mode::simulate, wide, 1);
  tiny.nodes[1].role = huge.nodes[1].role;
  tiny.evals.back().loss = 1.2345e-300;
  Validation v = validate_times({{100}, 97}, {{50}, 153});
  v.cases.push_back(compare_case(wide, {{huge}, tiny}));
  const std::string text = text_of(v, true);
  INFO(text);
  CHECK(widest_line(text) <= 80);
}

TEST_CASE("validation: weights that differ are shouted") {
  const Case c = case_of("sync");
  Record simulated = timed(Mode::simulate, c, 100);
  simulated.weights_sha256[0] = 'b';
  const Validation v{{compare_case(c, {{timed(Mode::run, c, 100)}, simulated})}, 1, 0};
  CHECK_THAT(first_sentence(v), Catch::Contains("WEIGHTS OF sync DIFFER"));
}

TEST_CASE("validation: others that used the machine are told, of the case where they did most") {
  Validation validation = validate_times({{100}, 110}, {{200}, 150});
  validation.cases[0].run.others_used = 0.25;
  validation.cases[1].run.others_used = 0.62;
  CHECK_THAT(words_of(validation, false),
             Catch::Contains("Other programs took 62 % of this machine"));
  validation.cases[0].run.others_used = 0.04;
  validation.cases[1].run.others_used.reset();
  CHECK_THAT(text_of(validation, false), !Catch::Contains("Other programs took"));
}

TEST_CASE("validation: a target that not all reached is told") {
  Case c = case_of("sync");
  c.scenario.training.until.accuracy = 0.9;
  const Validation v{{compare_times(c, {{100, 100}, 100})}, 2, 0};
  CHECK_THAT(words_of(v, true),
             Catch::Contains(" runs at target forecast at target sync yes 0 no"));
}

TEST_CASE("validation section: the tables of the Result, with its figure") {
  const auto json = to_json(six_cases());
  const Section section = validation_section(JsonObject(json, "validation:"));
  CHECK(section.figures.size() == 1);
  const Table& cases = section.tables.at(0);
  CHECK(cases.columns.at(3).name == "error");
  CHECK(cases.rows.at(1).at(3).text == "-30.0 %");
  CHECK(cases.rows[1][3].tone == Cell::Tone::bad);
  CHECK(cases.rows[0][3].tone == Cell::Tone::good);
  CHECK(std::ranges::find(section.tables, "Goals of the project", &Table::title) !=
        section.tables.end());
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

TEST_CASE("validation: errors are told apart in text, JSON, CSV") {
  const Case c = case_of("sync");
  const auto compare = [&](std::int64_t predicted_ms) {
    return compare_case(c, {{timed(Mode::run, c, 100)}, timed(Mode::simulate, c, predicted_ms)}, {},
                        [&](const Record&) { return std::optional(timed(Mode::simulate, c, 98)); });
  };
  const Validation v{{compare(120), compare(101)}, 1, 0};
  CHECK_THAT(words_of(v, true), Catch::Contains(" -2.0 % +22.0 % off"));
  const auto json = to_json(v);
  CHECK(json["cases"][0]["protocol_error"].get<double>() == Approx(-0.02));
  CHECK(json["cases"][0]["compute_error"].get<double>() == Approx(0.22));
  CHECK(json["strategies"]["sync"]["protocol"]["step_time_error_median"].get<double>() ==
        Approx(0.02));
  CHECK(json["strategies"]["sync"]["compute"]["step_time_error_max"].get<double>() == Approx(0.22));
  CHECK_THAT(csv_of(v), Catch::Contains("\nsync,sync,step_time_ms,,10,10,10,,12,10.2") &&
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
  const std::string csv = csv_of(validate_times({{100}, 90}, {{50}, 60}));
  CHECK_THAT(csv,
             Catch::StartsWith("case,strategy,metric,node,measured,q1,q3,spread,predicted,"
                               "predicted_low,predicted_high,error,moment_error,protocol_error,"
                               "compute_error\n"
                               "sync,sync,step_time_ms,,10,10,10,,9,7.6"));
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
  CHECK(figure.title == "study: async forecast 20 % too slow in its case, the largest error of 2");
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
