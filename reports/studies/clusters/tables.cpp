#include "reports/studies/clusters/tables.h"

#include "reports/record/csv.h"
#include "reports/record/statistics.h"
#include "reports/record/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

using Chosen = std::function<bool(const ClusterForecast&)>;

ClusterErrors errors_of(std::string name, const std::vector<ClusterForecast>& forecasts,
                        const Chosen& chosen) {
  constexpr double kP90 = 0.9;
  std::vector<double> own;
  std::vector<double> linear;
  for (const ClusterForecast& each : forecasts) {
    if (each.figure.role != ClusterRole::forecast || !chosen(each)) continue;
    own.push_back(std::abs(each.error()));
    if (const auto error = each.linear_error()) linear.push_back(std::abs(*error));
  }
  return {std::move(name),         static_cast<int>(own.size()),
          median(own).value_or(0), quantile(own, kP90).value_or(0),
          median(linear),          quantile(linear, kP90)};
}

std::vector<ClusterFigure> figures_in(const std::vector<ClusterForecast>& forecasts) {
  std::vector<ClusterFigure> figures;
  figures.reserve(forecasts.size());
  for (const ClusterForecast& each : forecasts) figures.push_back(each.figure);
  return figures;
}

std::string as_percent(std::optional<double> error) {
  return error ? fmt::format("{:.1f} %", *error * 100) : "-";
}

nlohmann::ordered_json number_or_null(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string error_lines(const std::vector<ClusterErrors>& errors) {
  std::string text = fmt::format(" {}{}{}{}{}{}{}\n", left("study", 17), right("forecasts", 10),
                                 right("median", 10), right("p90", 10), right("linear", 11),
                                 right("its p90", 11), right("goal", 9));
  for (const ClusterErrors& e : errors) {
    text += fmt::format(" {}{}{}{}{}{}{}\n", left(e.name, 17),
                        right(fmt::format("{}", e.forecasts), 10), right(as_percent(e.median), 10),
                        right(as_percent(e.p90), 10), right(as_percent(e.linear_median), 11),
                        right(as_percent(e.linear_p90), 11),
                        right(e.meets_goal() ? "met" : "missed", 9));
  }
  return text;
}

// With the others 80 columns.
constexpr std::size_t kSeriesWidth = 24;

std::string forecast_lines(const std::vector<ClusterForecast>& forecasts) {
  std::string text;
  std::string study;
  for (const ClusterForecast& each : forecasts) {
    const ClusterFigure& f = each.figure;
    if (f.study != study) {
      study = f.study;
      text += fmt::format("\n {}{}{}{}{}{} role\n",
                          left(fmt::format("{} [{}]", study, f.unit), kSeriesWidth + 1),
                          right("devices", 7), right("measured", 10), right("forecast", 10),
                          right("error", 9), right("linear", 9));
    }
    text += fmt::format(" {}{}{}{}{}{} {}\n", left(f.series, kSeriesWidth),
                        right(fmt::format("{}", f.devices), 8), right(figure(f.value), 10),
                        right(figure(each.forecast), 10), right(signed_percent(each.error()), 9),
                        right(signed_percent(each.linear_error()), 9), name_of(f.role));
  }
  return text;
}

}  // namespace

std::string cluster_staleness(const std::vector<ClusterForecast>& forecasts) {
  std::string ranges;
  for (const std::string& study : studies_of(figures_in(forecasts))) {
    std::vector<double> stale;
    for (const ClusterForecast& each : forecasts) {
      if (each.figure.study == study && each.staleness_mean) stale.push_back(*each.staleness_mean);
    }
    if (stale.empty()) continue;
    const auto [least, most] = std::ranges::minmax(stale);
    ranges += fmt::format("{}{} {:.1f} to {:.1f}", ranges.empty() ? "" : ", ", study, least, most);
  }
  if (ranges.empty()) return {};
  return fmt::format(
      "Accuracy of asynchronous trainings of ResNets is out of reach of the networks that this "
      "program trains; in its place their mean staleness in updates: {}.",
      ranges);
}

bool ClusterErrors::meets_goal() const {
  const bool less =
      !linear_median || *linear_median <= kLinearFar || median < kLinearShare * *linear_median;
  return median <= kClusterMedian && p90 <= kClusterP90 && less;
}

std::vector<ClusterErrors> cluster_errors(const std::vector<ClusterForecast>& forecasts) {
  std::vector<ClusterErrors> errors;
  for (const std::string& study : studies_of(figures_in(forecasts))) {
    errors.push_back(errors_of(
        study, forecasts, [&](const ClusterForecast& each) { return each.figure.study == study; }));
  }
  ClusterErrors async =
      errors_of("all, async", forecasts, [](const ClusterForecast& each) { return each.async; });
  if (async.forecasts > 0) errors.push_back(std::move(async));
  errors.push_back(errors_of("all", forecasts, [](const auto&) { return true; }));
  return errors;
}

std::string cluster_sentence(const std::vector<ClusterErrors>& errors) {
  const ClusterErrors& all = errors.back();
  const std::string linear =
      all.linear_median ? fmt::format("; linear scaling by {}, {}", as_percent(all.linear_median),
                                      as_percent(all.linear_p90))
                        : "";
  return fmt::format(
      "{} figures of others' clusters: forecasts are off by {} in the median, {} at the 90th "
      "percentile{}.",
      all.forecasts, as_percent(all.median), as_percent(all.p90), linear);
}

std::string to_table(const std::vector<ClusterForecast>& forecasts) {
  const std::vector<ClusterErrors> errors = cluster_errors(forecasts);
  const std::string staleness = cluster_staleness(forecasts);
  return wrap(cluster_sentence(errors)) + error_lines(errors) +
         (staleness.empty() ? "" : wrap(staleness)) + forecast_lines(forecasts);
}

std::string cluster_markdown(const std::vector<ClusterForecast>& forecasts) {
  std::string text =
      "| study | forecasts | median error | p90 | linear: median | p90 | goal |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const ClusterErrors& e : cluster_errors(forecasts)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", e.name, e.forecasts,
                        as_percent(e.median), as_percent(e.p90), as_percent(e.linear_median),
                        as_percent(e.linear_p90), e.meets_goal() ? "met" : "missed");
  }
  return text;
}

std::string clusters_csv(const std::vector<ClusterForecast>& forecasts) {
  constexpr std::array<std::string_view, 13> kColumns{
      "study",    "series",   "role",  "devices", "set",          "quantity",      "unit",
      "measured", "forecast", "error", "linear",  "linear_error", "staleness_mean"};
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  CsvWriter csv(kColumns);
  for (const ClusterForecast& each : forecasts) {
    const ClusterFigure& f = each.figure;
    csv.text(f.study).text(f.series).text(name_of(f.role)).integer(f.devices);
    csv.text(fmt::format("{}", fmt::join(f.settings, ";"))).text(f.quantity).text(f.unit);
    csv.number(f.value).number(each.forecast).number(each.error());
    csv.number(each.linear.value_or(kNone)).number(each.linear_error().value_or(kNone));
    csv.number(each.staleness_mean.value_or(kNone)).end_row();
  }
  return std::string(csv.written());
}

nlohmann::ordered_json to_json(const std::vector<ClusterForecast>& forecasts) {
  nlohmann::ordered_json json;
  json["studies"] = nlohmann::ordered_json::array();
  for (const ClusterErrors& e : cluster_errors(forecasts)) {
    json["studies"].push_back({{"name", e.name},
                               {"forecasts", e.forecasts},
                               {"error_median", e.median},
                               {"error_p90", e.p90},
                               {"linear_error_median", number_or_null(e.linear_median)},
                               {"linear_error_p90", number_or_null(e.linear_p90)},
                               {"meets_goal", e.meets_goal()}});
  }
  json["figures"] = nlohmann::ordered_json::array();
  for (const ClusterForecast& each : forecasts) {
    const ClusterFigure& f = each.figure;
    json["figures"].push_back({{"study", f.study},
                               {"series", f.series},
                               {"role", name_of(f.role)},
                               {"devices", f.devices},
                               {"settings", f.settings},
                               {"quantity", f.quantity},
                               {"unit", f.unit},
                               {"measured", f.value},
                               {"forecast", each.forecast},
                               {"error", each.error()},
                               {"linear", number_or_null(each.linear)},
                               {"linear_error", number_or_null(each.linear_error())},
                               {"staleness_mean", number_or_null(each.staleness_mean)}});
  }
  return json;
}

}  // namespace foretrain
