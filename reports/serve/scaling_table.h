// Scaling table: times, costs by strategy, by number of workers.
#pragma once

#include "reports/show/figures/figure.h"
#include "reports/studies/whatif/forecast_source.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/spec/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain::serve {

struct ScalingPoint {
  std::string strategy;
  int workers = 1;
  std::optional<double> time_s{};  ///< for the examples of the whole training
  std::optional<double> cost{};    ///< of its hosts for that time, if they have prices
  std::string currency{};          ///< of the cost; may be empty
  std::string uneven_share{};      ///< uneven_share (caveats.h) of its record
  std::string limit{};             ///< its bottleneck
  std::string why_not{};           ///< why there is no time; else empty
};

/// Every strategy with 1, 2, 4, ... workers, up to twice the case's number, within 16 to 64.
std::vector<ScalingPoint> scaling_points_of(const Case& base);

/// Simulates the first steps of `point`, then extrapolates (whole_time_s) to `examples`, without
/// evaluations and checkpoints. `base` has numerics only if it needs them. A simulation that takes
/// longer than kWayPatience_s is ended, which why_not says. False if `watch` dropped it.
bool forecast_scaling_point(ScalingPoint& point, const Case& base, double examples,
                            const Forecaster& forecaster, DataSets& data_sets,
                            const ForecastWatch& watch);

inline constexpr double kWayPatience_s = 2;

nlohmann::ordered_json to_json(const std::vector<ScalingPoint>& points);

/// Time over workers with a line per strategy; a second panel with cost if hosts have prices.
Figure scaling_figure(const std::vector<ScalingPoint>& points);

}  // namespace foretrain::serve
