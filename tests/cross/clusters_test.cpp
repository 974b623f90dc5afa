// What others measured on their clusters, as far as the library has it.
#include "reports/studies/clusters/forecast.h"
#include "scenarios/read.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::filesystem::path kClusters =
    std::filesystem::path(source_dir()) / "scenarios" / "clusters";

std::vector<ClusterFigure> library_figures() {
  return read_cluster_figures((kClusters / "measured.csv").string());
}

std::vector<ClusterForecast> forecast_of(const std::string& study) {
  ClusterOptions options;
  options.folder = kClusters;
  options.study = study;
  options.threads = 2;
  options.simulate = [](const Case& each) {
    sim::SimulateOptions simulating;
    simulating.summary_only = true;
    return simulate(each, simulating);
  };
  return forecast_clusters(library_figures(), options);
}

TEST_CASE("clusters: every row of the library makes one case of a scenario") {
  for (const ClusterFigure& each : library_figures()) {
    CAPTURE(each.place, each.study, each.series);
    const std::vector<Case> cases =
        read_scenario((kClusters / (each.study + ".yaml")).string(), each.settings);
    REQUIRE(cases.size() == 1);
    CHECK(!cases.front().scenario.numerics);
  }
}

TEST_CASE("clusters: a saturated server takes what its figure says, by hand") {
  // A gradient of 7,430,888 bytes at 3.118 ns each: 23.17 ms, so 43.16 a second; two servers take
  // half of it each. Eight K80 do not come to that: 8 x 4.506 = 36.05.
  for (const ClusterForecast& each : forecast_of("cmdare")) {
    const ClusterFigure& f = each.figure;
    CAPTURE(f.place, f.series, f.devices, each.forecast, f.value);
    if (f.role == ClusterRole::base) CHECK(each.forecast == Approx(f.value).epsilon(kBaseError));
    if (f.role == ClusterRole::fitted) CHECK(each.forecast == Approx(43.16).epsilon(0.02));
    if (f.series == "K80") CHECK(each.forecast == Approx(each.linear).epsilon(0.05));
    CHECK(each.async);
  }
}

}  // namespace
}  // namespace foretrain::testing
