// Published measurements in the library, compared with forecasts.
#include "models/base/ethernet.h"
#include "reports/studies/measured/forecast_rows.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/read.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::filesystem::path kLibrary = std::filesystem::path(source_dir()) / "scenarios";
const std::filesystem::path kClusters = kLibrary / "clusters";

std::vector<FigureForecast> forecast_of(const std::vector<MeasuredFigure>& figures) {
  ForecastOptions options;
  options.threads = 2;
  options.simulate = [](const Case& each) {
    sim::SimulateOptions simulating;
    simulating.machines = [](const std::string& name) {
      return read_machine((kLibrary.parent_path() / name).string());
    };
    simulating.summary_only = true;
    return simulate(each, simulating);
  };
  return forecast_figures(figures, options);
}

std::vector<FigureForecast> cluster_forecasts(const std::string& study) {
  return forecast_of(read_figures(kClusters / "clusters.csv", kClusters / (study + ".yaml")));
}

/// The five studies, simulated once.
const std::vector<FigureForecast>& published() {
  static const std::vector<FigureForecast> all =
      forecast_of(read_figures(kLibrary / "published" / "published.csv", {}));
  return all;
}

/// The numbers in a README's line about a study, `| study | figures | ...`.
std::vector<double> line_of(const std::filesystem::path& readme, const std::string& study) {
  const std::string text = read_text(readme.string());
  const std::string head = fmt::format("\n| {} | ", study);
  const std::size_t begin = text.find(head);
  INFO(study);
  REQUIRE(begin != std::string::npos);
  std::string line = text.substr(begin + head.size());
  line.resize(line.find('\n'));
  std::vector<double> numbers;
  for (std::size_t at = 0; at < line.size(); at = line.find('|', at) + 2) {
    numbers.push_back(std::strtod(line.c_str() + at, nullptr));
  }
  return numbers;
}

TEST_CASE("clusters: every row of the library makes one case of a scenario") {
  for (const MeasuredFigure& each : read_figures(kClusters / "clusters.csv", {})) {
    CAPTURE(each.place, each.study, each.series);
    const std::vector<Case> cases = read_scenario(each.scenario.string(), each.settings);
    REQUIRE(cases.size() == 1);
    CHECK(!cases.front().scenario.numerics);
  }
}

TEST_CASE("clusters: a saturated server takes what its figure says, by hand") {
  // A gradient has 7,430,888 bytes at 1.37 ns each and 101 tensors at 128.6 us: 23.17 ms, so a
  // server takes 43.16 a second; two servers take half of it each. Eight K80 do not reach that: 8 x
  // 4.506 = 36.05.
  for (const FigureForecast& each : cluster_forecasts("cmdare")) {
    const MeasuredFigure& f = each.figure;
    CAPTURE(f.place, f.series, f.devices, each.forecast, f.value);
    if (f.role == "base") CHECK(each.forecast.value() == Approx(f.value).epsilon(kBaseError));
    if (f.role == "fitted") CHECK(each.forecast.value() == Approx(43.16).epsilon(0.02));
    if (f.series == "K80")
      CHECK(each.forecast.value() == Approx(each.linear.value()).epsilon(0.05));
    CHECK(each.staleness_mean);
  }
}

TEST_CASE("clusters: Multiverso adds to a step what one worker lost to it, by hand") {
  // Eight workers with 64 images each; a gradient takes half the time of 128 on one device, plus
  // 48.6 ms.
  int asynchronous = 0;
  for (const FigureForecast& each : cluster_forecasts("multiverso")) {
    const MeasuredFigure& f = each.figure;
    CAPTURE(f.place, f.series, f.devices, each.forecast, f.value);
    if (f.role == "fitted") CHECK(each.forecast.value() == Approx(f.value).epsilon(0.002));
    if (!f.is_judged() || !each.staleness_mean) continue;
    const double alone = f.series == "Theano" ? 285.063 : 899.766;  // images/s
    CHECK(each.forecast.value() == Approx(8 * 64 / (64 / alone + 0.0486)).epsilon(0.01));
    ++asynchronous;
  }
  CHECK(asynchronous == 2);
}

/// Bytes that a collective reduces, up to a GiB.
double bytes_of_payload(const MeasuredFigure& figure) {
  const std::string named = "payload_";
  const std::string& file = figure.settings.front();
  const std::string size = file.substr(file.find(named) + named.size());
  return std::stod(size) * (size.find("KiB") != std::string::npos ? 1024.0 : 1024.0 * 1024);
}

TEST_CASE("clusters: a collective takes its bytes beside what its smallest takes, by hand") {
  // Each device moves 2 (N - 1) / N of them over its own link, or one of eight devices over their
  // NIC, after which the last part still goes round its host (8 us of 32 MiB).
  auto figures = read_figures(kClusters / "clusters.csv", kClusters / "nccl.yaml");
  std::erase_if(figures, [](const MeasuredFigure& each) {  // they are slow
    return each.settings.front().find("GiB") != std::string::npos;
  });
  const auto forecasts = forecast_of(figures);
  std::map<std::string, const FigureForecast*> bases;
  for (const FigureForecast& each : forecasts) {
    if (each.figure.role == "base") bases[each.figure.series] = &each;
  }
  REQUIRE(bases.size() == 3);
  const std::map<std::string, double> rates{{"H200", 450e9}, {"B200", 900e9}, {"32 B200", 400e9}};
  for (const FigureForecast& each : forecasts) {
    const MeasuredFigure& f = each.figure;
    const MeasuredFigure& base = bases.at(f.series)->figure;
    CAPTURE(f.place, f.series, each.forecast, f.value);
    const double bytes =
        2.0 * (f.devices - 1) / f.devices * (bytes_of_payload(f) - bytes_of_payload(base));
    CHECK(each.forecast.value() == Approx(base.value + bytes / rates.at(f.series)).epsilon(0.02));
    CHECK_FALSE(each.linear);
  }
}

TEST_CASE("clusters: the table of the README is what is forecast, to a point, of quick studies") {
  for (const std::string study : {"cmdare", "transient", "multiverso", "ddp_suite", "mxnet"}) {
    const StudyErrors now = errors_of(cluster_forecasts(study)).front();
    const std::vector<double> said = line_of(kClusters / "README.md", study);
    CAPTURE(study, now.forecasts, now.median, now.p90, now.linear_median);
    CHECK(said.at(0) == now.forecasts);
    CHECK(said.at(1) == Approx(now.median * 100).margin(1));
    CHECK(said.at(2) == Approx(now.p90 * 100).margin(1));
    CHECK(said.at(3) == Approx(now.linear_median.value() * 100).margin(1));
  }
}

TEST_CASE("published: the table of the README is what is forecast, to a point") {
  const auto errors = errors_of(published());
  CHECK(errors.size() == 6);
  for (const StudyErrors& now : errors) {
    const std::vector<double> said = line_of(kLibrary / "published" / "README.md", now.name);
    CAPTURE(now.name, now.figures, now.fitted, now.forecasts, now.median, now.p90, now.near);
    CHECK(said.at(0) == now.figures);
    CHECK(said.at(1) == now.fitted);
    CHECK(said.at(2) == now.forecasts);
    CHECK(said.at(3) == Approx(now.median * 100).margin(1));
    CHECK(said.at(4) == Approx(now.p90 * 100).margin(1));
    CHECK(said.at(5) == Approx(now.near).margin(2));
    CHECK(now.median < 0.10);
    CHECK(3 * now.near >= 2 * now.forecasts);
  }
}

TEST_CASE("published: times are within their bands, fitted ones within a narrow one") {
  int times = 0;
  for (const FigureForecast& each : published()) {
    const MeasuredFigure& f = each.figure;
    if (f.quantity != "time" && f.quantity != "epoch_time" && f.quantity != "step_time") continue;
    if (f.role != "fitted" && !f.is_judged()) continue;
    CAPTURE(f.place, f.title, f.value, each.forecast, each.failure);
    REQUIRE(each.error());
    CHECK(std::abs(*each.error()) < (f.role == "fitted" ? 0.05 : 0.30));
    ++times;
  }
  CHECK(times > 40);
}

TEST_CASE("published: what remote clients feed through the first node, by hand") {
  // Two of four gradients of 6,000 steps are remote. Each takes a batch of 128 and, in every tenth
  // step, 10,000 test examples, all of 794 numbers; a gradient comes in for parameters that go out.
  const double remote_gradient = 4.0 * (794 * (128 + 10'000 / 10) + 7'850);
  const double headers = static_cast<double>(ethernet::kCounted) / ethernet::kSegment;
  auto figures = read_figures(kLibrary / "published" / "published.csv", {});
  std::erase_if(figures, [](const MeasuredFigure& each) {
    return !each.title.starts_with("network_") ||
           each.title.find(": sync sync ") == std::string::npos;
  });
  CHECK(figures.size() == 4);
  for (MeasuredFigure& each : figures) {
    CHECK(each.is_judged());
    each.quantity += "_bytes";
    each.unit = "MB";
  }
  for (const FigureForecast& each : forecast_of(figures)) {
    CAPTURE(each.figure.title);
    CHECK(each.forecast.value() * 1e6 ==
          Approx(6'000 * 2 * remote_gradient * headers).epsilon(0.005));
  }
}

TEST_CASE("published: what a study compares is forecast in its order") {
  const auto forecast = [](const std::string& study, const std::string& title) {
    for (const FigureForecast& each : published()) {
      if (each.figure.study == study && each.figure.title == title) return each.forecast.value();
    }
    FAIL(study << ": " << title);
    return 0.0;
  };
  const auto [study, less, more] = GENERATE(table<std::string, std::string, std::string>({
      {"lenet_three_nodes", "epoch_time: lenet_nodes all_reduce 2x64",
       "epoch_time: lenet_nodes single 1x64"},
      {"lenet_three_nodes", "epoch_time: lenet_batch all_reduce 3x64",
       "epoch_time: lenet_batch all_reduce 3x8"},
      {"alexnet_four_nodes", "time: lr async 4x13750", "time: lr sync 4x13750"},
      {"alexnet_four_nodes", "test_accuracy: lr_batch async 4x13750",
       "test_accuracy: lr_batch async 4x275"},
      {"lenet_batch_sweep", "test_accuracy: lenet single 1x512",
       "test_accuracy: lenet single 1x64"},
      {"alexnet_c220g5", "throughput: alexnet single 1x128", "throughput: alexnet sync 3x128"},
  }));
  CAPTURE(study, less, more);
  CHECK(forecast(study, less) < forecast(study, more));
}

}  // namespace
}  // namespace foretrain::testing
