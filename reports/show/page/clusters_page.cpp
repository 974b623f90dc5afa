// What others measured on their clusters, as a page.
#include "reports/record/text.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/page/sections.h"
#include "reports/studies/clusters/tables.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

Cell::Tone tone_of(const ClusterForecast& each) {
  if (each.figure.role != ClusterRole::forecast) return Cell::Tone::plain;
  return std::abs(each.error()) <= kClusterP90 ? Cell::Tone::good : Cell::Tone::bad;
}

std::string per_cent(std::optional<double> error) {
  return error ? fmt::format("{:.1f}", *error * 100) : "-";
}

Section clusters_section(const std::vector<ClusterForecast>& forecasts,
                         const std::vector<ClusterErrors>& errors) {
  Table table{"A line a study",
              kForecastsSource,
              {{"study"},
               {"forecasts", true},
               {"median error [%]", true},
               {"p90 [%]", true},
               {"linear scaling: median error [%]", true},
               {"linear scaling: p90 [%]", true},
               {"goal"}},
              {}};
  for (const ClusterErrors& e : errors) {
    const bool met = e.meets_goal();
    table.rows.push_back({{e.name},
                          {fmt::format("{}", e.forecasts)},
                          {per_cent(e.median)},
                          {per_cent(e.p90)},
                          {per_cent(e.linear_median)},
                          {per_cent(e.linear_p90)},
                          {met ? "met" : "missed", met ? Cell::Tone::good : Cell::Tone::bad}});
  }
  const std::string staleness = cluster_staleness(forecasts);
  return {"clusters",
          "Clusters",
          fmt::format("What others measured on their clusters, forecast from the smallest row of "
                      "each series. The goal: {:.0f} % in the median, {:.0f} % at the 90th "
                      "percentile, less than a third of linear scaling's error where that is above "
                      "{:.0f} %.{}{}",
                      kClusterMedian * 100, kClusterP90 * 100, kLinearFar * 100,
                      staleness.empty() ? "" : " ", staleness),
          {std::move(table)},
          {}};
}

Section cluster_section(const std::string& study, const std::vector<ClusterForecast>& forecasts) {
  Table table{"Every figure of " + study,
              kForecastsSource,
              {{"series"},
               {"devices", true},
               {"set", false, true},
               {"unit"},
               {"measured", true},
               {"forecast", true},
               {"error [%]", true},
               {"linear scaling's error [%]", true},
               {"mean staleness [updates]", true},
               {"role"},
               {"source", false, true}},
              {}};
  for (const ClusterForecast& each : forecasts) {
    const ClusterFigure& f = each.figure;
    if (f.study != study) continue;
    const std::optional<double> linear = each.linear_error();
    table.rows.push_back({{f.series},
                          {fmt::format("{}", f.devices)},
                          {fmt::format("{}", fmt::join(f.settings, ", "))},
                          {f.unit},
                          {figure(f.value)},
                          {figure(each.forecast)},
                          {fmt::format("{:+.1f}", each.error() * 100), tone_of(each)},
                          {linear ? fmt::format("{:+.1f}", *linear * 100) : ""},
                          {figure(each.staleness_mean)},
                          {std::string(name_of(f.role))},
                          {f.source}});
  }
  table.drop_empty_columns();
  Section section{study, study, {}, {std::move(table)}, {}};
  Alternatives series{"series", {}, cluster_figures(study, forecasts)};
  if (series.figures.empty()) return section;
  for (const Figure& each : series.figures) series.titles.push_back(each.panels.front().title);
  if (series.figures.size() == 1) {
    section.figures = std::move(series.figures);
  } else {
    section.choices.push_back(std::move(series));
  }
  return section;
}

}  // namespace

Page clusters_page(const std::vector<ClusterForecast>& forecasts) {
  const std::vector<ClusterErrors> errors = cluster_errors(forecasts);
  Page page{"Clusters of others: foretrain report", {}, cluster_sentence(errors), {}};
  page.sections.push_back(clusters_section(forecasts, errors));
  std::vector<ClusterFigure> figures;
  figures.reserve(forecasts.size());
  for (const ClusterForecast& each : forecasts) figures.push_back(each.figure);
  for (const std::string& study : studies_of(figures)) {
    page.sections.push_back(cluster_section(study, forecasts));
  }
  return page;
}

}  // namespace foretrain
