// What a forecast is held to, with how far it got.
#pragma once

#include "reports/studies/validation/validation.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// Errors of step time over a strategy's steady cases.
inline constexpr double kGoalStepTimeMedian = 0.05;
inline constexpr double kGoalStepTimeP95 = 0.12;
/// The same with the compute times that the runs recorded.
inline constexpr double kGoalProtocolMedian = 0.02;
inline constexpr double kGoalProtocolP95 = 0.05;
/// Of each node.
inline constexpr double kGoalCpuPoints = 8;
inline constexpr double kGoalMemory = 0.10;
/// Of the mean, where staleness can vary.
inline constexpr double kGoalStaleness = 0.10;
/// Of a group of seeds, or of a case that is in none.
inline constexpr double kGoalTimeToTarget = 0.10;

struct Goal {
  std::string name;             ///< `step time, median of each strategy`
  std::string unit;             ///< `%`, `points`; empty: it holds or it does not
  double limit = 0;             ///< in `unit`
  std::optional<double> worst;  ///< the largest deviation, in `unit`; empty where it has no number
  std::string worst_name;       ///< of the strategy or case with it; empty where all are exact
  int met = 0;                  ///< of so many strategies, cases or pairs
  int of = 0;

  [[nodiscard]] bool is_met() const { return met == of; }
};

/// Every goal that the cases say something about: median, 95th percentile of step time, of its
/// protocol's part, noisy cases, CPU, memory, bytes, staleness, weights, replays, time to target,
/// order of all, order of sync against async.
std::vector<Goal> goals_of(const Validation& validation);

}  // namespace foretrain
