// Both modes side by side: what runs measured against what a simulation predicted.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/validation/comparison.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

struct CaseValidation {
  Case scenario_case;
  std::vector<Comparison> comparisons;
  /// Kolmogorov-Smirnov distance between the staleness of the steps of all runs and that of the
  /// simulation's. Empty where staleness cannot vary (deterministic protocols), or has no rows.
  std::optional<double> staleness_distance;
  /// Same weights hash in all runs and the simulation. Empty where the protocol is not
  /// deterministic, where there are no weights, or where their kernel sets differ.
  std::optional<bool> weights_equal;
  /// Of a protocol that is not deterministic: the run fed its recorded inputs again ended with the
  /// recorded weights. Empty elsewhere, or where there are no weights.
  std::optional<bool> replay_equal;
  /// Likewise: each node sent as many bytes in the replay as in the run. How many are under way
  /// when the last gradient is accepted is a matter of order, so no forecast has them exactly.
  std::optional<bool> replay_bytes_equal;
  std::string replay_failure;    ///< why the replay could not be done, which counts as not equal
  int reached = 0;               ///< runs that reached the training's target
  bool reach_predicted = false;  ///< the simulation did
  Record run;  ///< of the repetitions, the one whose time is the median, without its inputs
  Record simulated;

  [[nodiscard]] const std::string& strategy() const {
    return scenario_case.scenario.training.strategy;
  }
  /// What the whole training is compared by under `metric`, or null.
  [[nodiscard]] const Comparison* find(std::string_view metric) const;
  /// Of the nodes the one whose forecast of `metric` deviates most, or null.
  [[nodiscard]] const Comparison* worst_node(std::string_view metric) const;
};

/// Trains a recorded run again in its recorded order; nothing: no replay is compared.
using Replay = std::function<Record(const Record&)>;
/// Simulates the case of a run with the compute times that the run recorded; nothing: it has none.
using OwnTimes = std::function<std::optional<Record>(const Record& run)>;
/// Simulates the case of a run at the speed that the machine had around it; nothing: nobody looked.
using OfMoment = std::function<std::optional<Record>(const Record& run)>;

/// What there is of a case: all are trainings that were done.
struct CaseRecords {
  std::vector<Record> runs;  ///< one or more
  Record simulated;
};

/// The runs of a case against its simulation.
CaseValidation compare_case(const Case& scenario_case, CaseRecords&& records,
                            const Replay& replay = {}, const OwnTimes& own_times = {},
                            const OfMoment& of_moment = {});

/// Errors of a strategy's forecasts without their signs, over its cases.
struct ErrorRange {
  double median = 0;
  double p95 = 0;
  double max = 0;
};

struct Validation {
  std::vector<CaseValidation> cases;
  int repetitions = 0;
  int found = 0;  ///< runs that an earlier start had left, not run again

  /// Errors of `metric` by strategy; a strategy without any is left out.
  [[nodiscard]] std::map<std::string, ErrorRange> errors(std::string_view metric) const;
  /// Of all cases that have an answer; empty where none has.
  [[nodiscard]] std::optional<bool> weights_equal() const;
  /// Likewise of the replays.
  [[nodiscard]] std::optional<bool> replays_equal() const;
  /// In the order in which the cases name them.
  [[nodiscard]] std::vector<std::string> strategies() const;
};

/// Cases that differ in `seed` alone.
struct SeedGroup {
  Case scenario_case;                   ///< the first of them, `seed` left out of its settings
  std::vector<std::size_t> members;     ///< places among the cases; two or more
  std::vector<Comparison> comparisons;  ///< medians over the seeds, of what all of them know;
                                        ///< quartiles, spread are over the seeds too
};

/// In the order of their first cases.
std::vector<SeedGroup> seed_groups(const Validation& validation);

}  // namespace foretrain
