// Figures of clusters: their titles say how far off forecasts are.
#include "reports/show/figures/of_studies.h"

#include <catch2/catch.hpp>

#include <vector>

namespace foretrain {
namespace {

ClusterForecast cluster_forecast(ClusterRole role, int devices, double forecast, double linear) {
  ClusterForecast made;
  made.figure.study = "small";
  made.figure.series = "a model";
  made.figure.role = role;
  made.figure.devices = devices;
  made.figure.quantity = "throughput";
  made.figure.value = 100;
  made.figure.unit = "images/s";
  made.forecast = forecast;
  made.linear = linear;
  return made;
}

}  // namespace

TEST_CASE("figure of a cluster: its title says how far off forecasts are, linear scaling beside") {
  std::vector<ClusterForecast> forecasts{
      cluster_forecast(ClusterRole::base, 1, 100, 100),
      cluster_forecast(ClusterRole::fitted, 2, 190, 900),  // does not count
      cluster_forecast(ClusterRole::forecast, 4, 88, 140),
      cluster_forecast(ClusterRole::forecast, 8, 105, 170)};
  const std::vector<Figure> figures = cluster_figures("small", forecasts);
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].title == "small, a model: forecast 12 % off at most, linear scaling 70 %");
  forecasts.resize(1);
  CHECK(cluster_figures("small", forecasts).at(0).title ==
        "small, a model: measured, nothing of it forecast");
  forecasts[0].figure.quantity = "collective_time";
  CHECK(cluster_figures("small", forecasts).empty());
}

}  // namespace foretrain
