// The accuracy goals of forecasts, with how well a validation meets them.
#pragma once

#include "reports/studies/validation/validation.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// Limits of the step-time error over the steady cases of a strategy.
inline constexpr double kGoalStepTimeMedian = 0.05;
inline constexpr double kGoalStepTimeP95 = 0.12;
/// The same limits for simulations with the compute times that the runs recorded.
inline constexpr double kGoalProtocolMedian = 0.02;
inline constexpr double kGoalProtocolP95 = 0.05;
/// Limits for each node.
inline constexpr double kGoalCpuPoints = 8;
inline constexpr double kGoalMemory = 0.10;
/// Limit for mean staleness of protocols whose staleness can vary.
inline constexpr double kGoalStaleness = 0.10;
/// Limit for a group of seeds, or for a case without such a group.
inline constexpr double kGoalTimeToTarget = 0.10;

struct Goal {
  std::string name;             ///< `step time, median of each strategy`
  std::string unit;             ///< `%`, `points`; empty for a yes-or-no goal
  double limit = 0;             ///< in `unit`
  std::optional<double> worst;  ///< largest deviation, in `unit`; empty if it is not a number
  std::string worst_name;       ///< strategy or case with that deviation; empty if all are exact
  int met = 0;                  ///< strategies, cases or pairs that meet it, out of `of`
  int of = 0;

  [[nodiscard]] bool is_met() const { return met == of; }
};

/// All goals about which the cases say something: median and 95th percentile of step time, the same
/// of its protocol part, noisy cases, CPU, memory, bytes, staleness, weights, replays, time to
/// target, order of all cases, order of strategies that are weighed against each other.
std::vector<Goal> goals_of(const Validation& validation);

}  // namespace foretrain
