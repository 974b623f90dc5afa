// A training by every strategy, with ever more workers: what each takes, what it costs.
#pragma once

#include "reports/show/figures/figure.h"
#include "reports/studies/whatif/forecaster.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/spec/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain::serve {

struct Way {
  std::string strategy;
  int workers = 1;
  std::optional<double> time_s{};  ///< for the examples of the whole training
  std::optional<double> cost{};    ///< of its hosts for that time, where they have prices
  std::string currency{};          ///< of the cost, where hosts name one
  std::string uneven_share{};      ///< of its record (caveats.h)
  std::string limit{};             ///< the resource that limits it
  std::string why_not{};           ///< it cannot be; empty: it was simulated
};

/// 1, 2, 4, ... workers, beyond those that the case has, by every strategy.
std::vector<Way> ways_of(const Case& base);

/// Simulates the first steps of one: the rest goes on as they do (whole_time_s). Evaluations,
/// checkpoints do not count. `base`: without numerics that it can do without; `examples`: it trains
/// on. One that takes longer than kWayPatience_s to simulate is none. False where it was dropped.
bool try_way(Way& way, const Case& base, double examples, const Forecaster& forecaster,
             DataSets& data_sets, const ForecastWatch& watch);

inline constexpr double kWayPatience_s = 2;

nlohmann::ordered_json to_json(const std::vector<Way>& ways);

/// Time against workers, a line a strategy; cost beside it, where hosts have prices.
Figure ways_figure(const std::vector<Way>& ways);

}  // namespace foretrain::serve
