// What runs say of the cores that they had, beside those that their forecast was calibrated on.
#pragma once

#include "reports/studies/validation/comparison.h"
#include "scenarios/core_probe.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

struct CaseValidation;
struct Validation;

/// One run of a case.
struct CoresOfRun {
  std::optional<CoreDistance> distance;      ///< empty: nobody looked, or one core
  std::optional<double> reference_before_s;  ///< of the reference kernel (core_state.h)
  std::optional<double> reference_after_s;
  std::optional<double> drift;  ///< drift_between; empty: not known
  std::optional<double> step_time_s;
  bool alike = false;  ///< its cores were as far apart as those between which loopback was measured
};
CoresOfRun cores_of_run(const Record& run, const Record& simulated);

/// How far apart the cores of most runs were, near rather than far, either rather than mixed where
/// as many were; empty: of none it is known.
std::optional<CoreDistance> distance_of_most(const std::vector<Record>& runs);

/// Adds, where each run says so much,
///
///     drift                   forecast as 1
///     undrifted_step_time_ms  of each run over its drift; of hosts whose links are described, only
///                             what a step computes is
///     alike_step_time_ms      of the runs that were alike (CoresOfRun), where some were
void compare_like_with_like(const std::vector<Record>& runs, const Record& simulated,
                            std::vector<Comparison>& comparisons);

/// Gives times and rates the range of a machine that wandered while it was calibrated.
void add_ranges(const Record& simulated, std::vector<Comparison>& comparisons);

/// Of all runs whose distance is known, shares of 1.
struct DistanceShares {
  double near = 0;
  double far = 0;
  double mixed = 0;
  std::string calibrated;  ///< in which of them loopback was measured; empty: not known
};
/// Empty where no run says anything.
std::optional<DistanceShares> distance_shares(const Validation& validation);
/// Of the runs of one case.
std::optional<DistanceShares> distance_shares(const CaseValidation& c);

/// `near` where all were; else `near 60 %, far 40 %`
std::string in_words(const DistanceShares& shares);

}  // namespace foretrain
