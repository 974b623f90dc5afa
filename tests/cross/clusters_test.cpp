// What others measured on their clusters, as far as the library has it.
#include "reports/studies/clusters/forecast.h"
#include "scenarios/read.h"
#include "scenarios/yaml/text_guard.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::filesystem::path kClusters =
    std::filesystem::path(source_dir()) / "scenarios" / "clusters";

std::vector<ClusterFigure> library_figures() {
  return read_cluster_figures((kClusters / "measured.csv").string());
}

/// Of a study; `chosen`: without the figures that take long.
std::vector<ClusterForecast> forecast_of(
    const std::string& study,
    const std::function<bool(const ClusterFigure&)>& chosen = [](const auto&) { return true; }) {
  std::vector<ClusterFigure> figures;
  std::ranges::copy_if(library_figures(), std::back_inserter(figures), chosen);
  ClusterOptions options;
  options.folder = kClusters;
  options.study = study;
  options.threads = 2;
  options.simulate = [](const Case& each) {
    sim::SimulateOptions simulating;
    simulating.summary_only = true;
    return simulate(each, simulating);
  };
  return forecast_clusters(figures, options);
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
  // A gradient of 7,430,888 bytes at 1.37 ns each and of 101 tensors at 128.6 us: 23.17 ms,
  // so 43.16 a second; two servers take half of it each. Eight K80 do not come to that: 8 x 4.506
  // = 36.05.
  for (const ClusterForecast& each : forecast_of("cmdare")) {
    const ClusterFigure& f = each.figure;
    CAPTURE(f.place, f.series, f.devices, each.forecast, f.value);
    if (f.role == ClusterRole::base) CHECK(each.forecast == Approx(f.value).epsilon(kBaseError));
    if (f.role == ClusterRole::fitted) CHECK(each.forecast == Approx(43.16).epsilon(0.02));
    if (f.series == "K80") CHECK(each.forecast == Approx(each.linear.value()).epsilon(0.05));
    CHECK(each.async);
  }
}

TEST_CASE("clusters: Multiverso adds to a step what one worker lost to it, by hand") {
  // Eight workers, 64 images each, which take half as long as 128 on one device, beside 48.6 ms.
  int asynchronous = 0;
  for (const ClusterForecast& each : forecast_of("multiverso")) {
    const ClusterFigure& f = each.figure;
    CAPTURE(f.place, f.series, f.devices, each.forecast, f.value);
    if (f.role == ClusterRole::fitted) CHECK(each.forecast == Approx(f.value).epsilon(0.002));
    if (f.role != ClusterRole::forecast || !each.async) continue;
    const double alone = f.series == "Theano" ? 285.063 : 899.766;  // images/s
    CHECK(each.forecast == Approx(8 * 64 / (64 / alone + 0.0486)).epsilon(0.01));
    ++asynchronous;
  }
  CHECK(asynchronous == 2);
}

/// Bytes that a collective adds up, of up to a GiB.
double bytes_of_payload(const ClusterFigure& figure) {
  const std::string named = "payload_";
  const std::string& file = figure.settings.front();
  const std::string size = file.substr(file.find(named) + named.size());
  return std::stod(size) * (size.find("KiB") != std::string::npos ? 1024.0 : 1024.0 * 1024);
}

TEST_CASE("clusters: a collective takes its bytes beside what its smallest takes, by hand") {
  // Each device moves 2 (N - 1) / N of them: over its own link, or one of eight over their NIC,
  // behind which the last part still goes round its host (8 us of 32 MiB).
  const auto forecasts = forecast_of("nccl", [](const ClusterFigure& each) {
    return each.study == "nccl" && each.settings.front().find("GiB") == std::string::npos;
  });
  std::map<std::string, const ClusterForecast*> bases;
  for (const ClusterForecast& each : forecasts) {
    if (each.figure.role == ClusterRole::base) bases[each.figure.series] = &each;
  }
  REQUIRE(bases.size() == 3);
  const std::map<std::string, double> rates{{"H200", 450e9}, {"B200", 900e9}, {"32 B200", 400e9}};
  for (const ClusterForecast& each : forecasts) {
    const ClusterFigure& f = each.figure;
    const ClusterFigure& base = bases.at(f.series)->figure;
    CAPTURE(f.place, f.series, each.forecast, f.value);
    const double bytes =
        2.0 * (f.devices - 1) / f.devices * (bytes_of_payload(f) - bytes_of_payload(base));
    CHECK(each.forecast == Approx(base.value + bytes / rates.at(f.series)).epsilon(0.02));
    CHECK_FALSE(each.linear);
  }
}

TEST_CASE("clusters: the table of the README has every study with all its forecasts") {
  const std::string readme = read_text((kClusters / "README.md").string());
  const std::vector<ClusterFigure> figures = library_figures();
  const auto forecasts = [&](const std::string& study) {
    return std::ranges::count_if(figures, [&](const ClusterFigure& each) {
      return each.role == ClusterRole::forecast && (study == "all" || each.study == study);
    });
  };
  std::vector<std::string> lines = studies_of(figures);
  lines.emplace_back("all");
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK(readme.find(fmt::format("| {} | {} |", line, forecasts(line))) != std::string::npos);
  }
}

}  // namespace
}  // namespace foretrain::testing
