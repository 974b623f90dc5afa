// The error table of the clusters: for people, for files, for programs.
#pragma once

#include "reports/studies/clusters/forecast.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// What forecasts ought to come to: the median of their errors, the one that a tenth of them is
/// beyond; and where linear scaling is off by more than kLinearFar in the median, less than this
/// share of its error.
inline constexpr double kClusterMedian = 0.10;
inline constexpr double kClusterP90 = 0.25;
inline constexpr double kLinearFar = 0.15;
inline constexpr double kLinearShare = 1.0 / 3;

/// Where every forecast comes from.
inline constexpr const char* kForecastsSource =
    "simulated; a gradient's time from the base of each series";

/// What the figures of role forecast come to, errors without signs.
struct ClusterErrors {
  std::string name;  ///< of the study; `all, async`, `all`
  int forecasts = 0;
  double median = 0;
  double p90 = 0;
  std::optional<double> linear_median{};  ///< empty: linear scaling says nothing of any
  std::optional<double> linear_p90{};

  [[nodiscard]] bool meets_goal() const;
};

/// A line a study, in their order, then of all that are asynchronous, where there are, then of all.
std::vector<ClusterErrors> cluster_errors(const std::vector<ClusterForecast>& forecasts);

/// `143 figures ... within 10 % in the median.`
std::string cluster_sentence(const std::vector<ClusterErrors>& errors);

/// How stale gradients are in the mean, from the least to the most of each study whose workers do
/// not go in step, in a sentence; empty: there is none.
std::string cluster_staleness(const std::vector<ClusterForecast>& forecasts);

/// A terminal of 80 columns: the sentence that matters, a line a study, how stale gradients are
/// where workers do not go in step, then every figure.
std::string to_table(const std::vector<ClusterForecast>& forecasts);
/// A line a study, as the README has it.
std::string cluster_markdown(const std::vector<ClusterForecast>& forecasts);
/// study, series, role, devices, set, quantity, unit, measured, forecast, error, linear,
/// linear_error (both empty: it says nothing), staleness_mean (empty: in step).
std::string clusters_csv(const std::vector<ClusterForecast>& forecasts);
nlohmann::ordered_json to_json(const std::vector<ClusterForecast>& forecasts);

}  // namespace foretrain
