// Forecasts of clusters begin at their bases, are judged by what nothing was taken from.
#include "reports/studies/clusters/forecast.h"

#include "reports/studies/clusters/tables.h"
#include "scenarios/node_counts.h"
#include "tests/reports/support.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

using namespace literals;

/// A training whose steps take 10 ms for each other worker beside the gradient, whose gradients are
/// as many updates stale.
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

/// A study of one scenario, in a folder of its own.
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

  [[nodiscard]] std::vector<ClusterForecast> forecast(const std::string& rows) const {
    write_text(folder_.path() / "measured.csv",
               "study,series,role,devices,set,quantity,value,unit,source\n" + rows);
    ClusterOptions options;
    options.folder = folder_.path();
    options.threads = 2;
    options.simulate = ten_ms_a_worker;
    return forecast_clusters(read_cluster_figures((folder_.path() / "measured.csv").string()),
                             options);
  }

 private:
  TemporaryFolder folder_;
};

const std::string kClusterRates =
    "small,a,base,1,-,throughput,200,images/s,p\n"
    "small,a,fitted,2,training.workers=2,throughput,1,images/s,p\n"
    "small,a,forecast,4,training.workers=4,throughput,400,images/s,p\n";

TEST_CASE("clusters: what a gradient takes is what the base leaves, so the base is met") {
  const auto forecasts = SmallStudy("all_reduce").forecast(kClusterRates);
  REQUIRE(forecasts.size() == 3);
  // 10 examples at 200 a second: steps of 50 ms, so gradients of 40; four workers: of 80.
  CHECK(forecasts[0].forecast == Approx(200).epsilon(kBaseError));
  CHECK(forecasts[1].forecast == Approx(2 * 10 / 0.060).epsilon(kBaseError));
  CHECK(forecasts[2].forecast == Approx(4 * 10 / 0.080).epsilon(kBaseError));
  CHECK(forecasts[2].linear == 800);
  CHECK(forecasts[2].error() == Approx(0.25).epsilon(0.01));
  CHECK(forecasts[2].linear_error().value() == Approx(1));
}

TEST_CASE("clusters: linear scaling of a step time is the base's") {
  const auto forecasts = SmallStudy("all_reduce")
                             .forecast(
                                 "small,a,base,1,-,step_time,0.05,s,p\n"
                                 "small,a,forecast,4,training.workers=4,step_time,0.1,s,p\n");
  CHECK(forecasts[1].forecast == Approx(0.08).epsilon(kBaseError));
  CHECK(forecasts[1].linear == 0.05);
}

TEST_CASE("clusters: of a collective alone linear scaling says nothing") {
  const std::string collectives =
      "small,c,base,2,training.workers=2,collective_time,0.05,s,p\n"
      "small,c,forecast,4,training.workers=4,collective_time,0.1,s,p\n";
  const SmallStudy study("all_reduce");
  const auto alone = study.forecast(collectives);
  REQUIRE(alone.size() == 2);
  CHECK(alone[1].forecast == Approx(0.07).epsilon(kBaseError));
  CHECK_FALSE(alone[1].linear);
  CHECK_FALSE(alone[1].linear_error());
  const auto errors = cluster_errors(alone);
  CHECK(errors.back().median == Approx(0.3).epsilon(0.01));
  CHECK_FALSE(errors.back().linear_median);
  CHECK(cluster_sentence(errors).find("linear") == std::string::npos);
  CHECK(cluster_markdown(alone).find("| - | - | missed |") != std::string::npos);
  CHECK(to_json(alone)["figures"][1]["linear"].is_null());
  CHECK(to_json(alone)["studies"][0]["linear_error_median"].is_null());
  CHECK(clusters_csv(alone).ends_with(",,,\n"));
  // Beside others only they count for linear scaling.
  const auto both = cluster_errors(study.forecast(collectives + kClusterRates));
  CHECK(both.back().forecasts == 2);
  CHECK(both.back().linear_median.value() == Approx(1));
}

TEST_CASE("clusters: neither a base nor a fitted figure counts among the forecasts") {
  const auto forecasts = SmallStudy("all_reduce").forecast(kClusterRates);
  const auto errors = cluster_errors(forecasts);
  REQUIRE(errors.size() == 2);  // of the study, of all
  CHECK(errors[0].name == "small");
  CHECK(errors[0].forecasts == 1);
  CHECK(errors[0].median == Approx(0.25).epsilon(0.01));
  CHECK(errors[0].linear_median.value() == Approx(1));
  CHECK(!errors[0].meets_goal());
}

TEST_CASE("clusters: those that are asynchronous have a line of their own") {
  const auto forecasts = SmallStudy("async").forecast(
      "small,a,base,1,-,updates_per_s,20,updates/s,p\n"
      "small,a,forecast,4,training.workers=4,updates_per_s,50,updates/s,p\n");
  const auto errors = cluster_errors(forecasts);
  REQUIRE(errors.size() == 3);
  CHECK(errors[1].name == "all, async");
  CHECK(errors[1].median == Approx(0).margin(0.01));
  CHECK(errors[1].meets_goal());
}

TEST_CASE("clusters: of those that are asynchronous the mean staleness is told") {
  const std::string rows =
      "small,a,base,1,-,updates_per_s,20,updates/s,p\n"
      "small,a,forecast,4,training.workers=4,updates_per_s,50,updates/s,p\n";
  const auto forecasts = SmallStudy("async").forecast(rows);
  REQUIRE(forecasts.size() == 2);
  CHECK(forecasts[0].staleness_mean == 0);
  CHECK(forecasts[1].staleness_mean == 3);
  CHECK(cluster_staleness(forecasts).ends_with("mean staleness in updates: small 0.0 to 3.0."));
  std::string table = to_table(forecasts);
  std::ranges::replace(table, '\n', ' ');
  CHECK(table.find("small 0.0 to 3.0.") != std::string::npos);
  CHECK(to_json(forecasts)["figures"][1]["staleness_mean"] == 3);
  const std::string csv = clusters_csv(forecasts);
  CHECK(csv.substr(0, csv.find('\n')).ends_with("linear,linear_error,staleness_mean"));
  CHECK(csv.ends_with(",3\n"));
  const auto in_step = SmallStudy("all_reduce").forecast(rows);
  CHECK_FALSE(in_step.at(1).staleness_mean);
  CHECK(cluster_staleness(in_step).empty());
  CHECK(to_table(in_step).find("staleness") == std::string::npos);
  CHECK(to_json(in_step)["figures"][1]["staleness_mean"].is_null());
  CHECK(clusters_csv(in_step).ends_with(",\n"));
}

TEST_CASE("clusters: less than a third of linear scaling's error, where that is far off") {
  const auto meets = [](double median, double linear) {
    return ClusterErrors{"s", 1, median, median, linear, linear}.meets_goal();
  };
  CHECK(meets(0.09, 0.10));
  CHECK(meets(0.09, 0.30));
  CHECK(ClusterErrors{"s", 1, 0.09, 0.09, {}, {}}.meets_goal());
  CHECK(!meets(0.09, 0.20));
  CHECK(!meets(0.11, 0.90));
}

TEST_CASE("clusters: a base that nothing can meet, a study that is none are errors") {
  const SmallStudy study("all_reduce");
  const auto error = [&](const std::string& rows) {
    return error_of([&] { static_cast<void>(study.forecast(rows)); });
  };
  CHECK(error("small,a,base,1,-,step_time,0.001,s,p\n")
            .find("measured.csv:2: value: what the base") != std::string::npos);
  CHECK(error("other,a,base,1,-,step_time,1,s,p\n").find("measured.csv:2: ") != std::string::npos);
  CHECK(error("small,a,base,1,training.wokers=2,step_time,1,s,p\n").find("wokers") !=
        std::string::npos);
}

TEST_CASE("clusters: the table fits a terminal and leaves no figure out") {
  const auto forecasts = SmallStudy("all_reduce").forecast(kClusterRates);
  std::istringstream lines(to_table(forecasts));
  int figures = 0;
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 80);
    if (line.ends_with("base") || line.ends_with("fitted") || line.ends_with("forecast")) ++figures;
  }
  CHECK(figures == 3);
  CHECK(to_json(forecasts)["figures"].size() == 3);
  CHECK(clusters_csv(forecasts).find("small,a,forecast,4,training.workers=4,throughput") !=
        std::string::npos);
}

}  // namespace
}  // namespace foretrain::testing
