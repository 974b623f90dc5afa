// The figures of what others measured on their clusters.
#include "reports/show/figures/of_studies.h"
#include "reports/studies/clusters/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace foretrain {
namespace {

std::string_view axis_of(const ClusterFigure& figure) {
  if (figure.quantity == "step_time") return "step time";
  return figure.quantity == "throughput" ? "throughput" : "updates";
}

std::string tip_of(const ClusterFigure& figure) {
  return fmt::format("{}, {}", name_of(figure.role), fmt::join(figure.settings, ", "));
}

/// A line through forecasts as long as devices get more; with fewer of them another one begins.
void add_forecast(Panel& panel, const ClusterForecast& each) {
  constexpr int kColour = 1;
  const double devices = each.figure.devices;
  const bool goes_on = panel.series.size() > 2 && panel.series.back().x.back() < devices;
  if (!goes_on) panel.series.push_back({"forecast", {}, {}, true, kColour, Mark::line});
  panel.series.back().x.push_back(devices);
  panel.series.back().y.push_back(each.forecast);
}

/// How far off the forecasts of a series are at most, beside linear scaling.
std::string scaling_finding(const ClusterFigure& f, const std::vector<ClusterForecast>& forecasts) {
  constexpr double kPerCent = 100;
  double forecast = 0;
  double linear = 0;
  bool any = false;
  for (const ClusterForecast& each : forecasts) {
    if (each.figure.study != f.study || each.figure.series != f.series) continue;
    if (each.figure.role != ClusterRole::forecast) continue;
    any = true;
    forecast = std::max(forecast, std::abs(each.error()));
    linear = std::max(linear, std::abs(each.linear_error().value_or(0)));
  }
  if (!any) return "measured, nothing of it forecast";
  return fmt::format("forecast {:.0f} % off at most, linear scaling {:.0f} %", forecast * kPerCent,
                     linear * kPerCent);
}

Figure figure_of_series(const ClusterForecast& first, std::size_t number,
                        const std::vector<ClusterForecast>& forecasts) {
  const ClusterFigure& f = first.figure;
  Panel panel{f.series, "devices", fmt::format("{} [{}]", axis_of(f), f.unit),
              {},       {},        Logarithmic::both};
  panel.series = {{"linear scaling", {}, {}, false, 0, Mark::guide},
                  {"measured", {}, {}, false, 0, Mark::points}};
  std::vector<std::pair<double, double>> line;
  for (const ClusterForecast& each : forecasts) {
    if (each.figure.study != f.study || each.figure.series != f.series) continue;
    line.emplace_back(each.figure.devices, each.linear.value_or(each.figure.value));
    panel.series[1].x.push_back(each.figure.devices);
    panel.series[1].y.push_back(each.figure.value);
    panel.series[1].names.push_back(tip_of(each.figure));
    add_forecast(panel, each);
  }
  std::ranges::sort(line);
  for (const auto& [devices, value] : line) {
    panel.series[0].x.push_back(devices);
    panel.series[0].y.push_back(value);
  }
  return {fmt::format("clusters_{}_{}", f.study, number),
          fmt::format("{}, {}: {}", f.study, f.series, scaling_finding(f, forecasts)),
          {std::move(panel)},
          kForecastsSource};
}

}  // namespace

std::vector<Figure> cluster_figures(const std::string& study,
                                    const std::vector<ClusterForecast>& forecasts) {
  std::vector<Figure> figures;
  std::vector<std::string> drawn;
  for (const ClusterForecast& each : forecasts) {
    const std::string& series = each.figure.series;
    if (each.figure.study != study || !each.figure.scales()) continue;
    if (std::ranges::find(drawn, series) != drawn.end()) continue;
    drawn.push_back(series);
    figures.push_back(figure_of_series(each, drawn.size(), forecasts));
  }
  return figures;
}

}  // namespace foretrain
