// Validation: measured runs against predictions of the simulation.
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
  /// Kolmogorov-Smirnov distance between the staleness of the steps of all runs and of the
  /// simulation. Empty if staleness cannot vary (deterministic protocols) or without step rows.
  std::optional<double> staleness_distance;
  /// Whether all runs and the simulation have the same weights hash. Empty if the protocol is not
  /// deterministic, if there are no weights, or if the kernel sets differ.
  std::optional<bool> weights_equal;
  /// For a protocol that is not deterministic: whether a replay of the run's recorded inputs ended
  /// with the recorded weights. Empty for other protocols, and if there are no weights.
  std::optional<bool> replay_equal;
  /// Likewise: whether each node sent as many bytes in the replay as in the run. The messages under
  /// way when the last gradient is accepted depend on the order, so no forecast can be exact.
  std::optional<bool> replay_bytes_equal;
  std::string replay_failure;    ///< why the replay failed, which counts as not equal
  int reached = 0;               ///< number of runs that reached the training's target
  bool reach_predicted = false;  ///< whether the simulation reached it
  Record run;                    ///< the run with the median time, without its inputs
  Record simulated;

  [[nodiscard]] const std::string& strategy() const {
    return scenario_case.scenario.training.strategy;
  }
  /// The comparison of the training's `metric`; null if it was not compared.
  [[nodiscard]] const Comparison* find(std::string_view metric) const;
  /// The comparison of the node whose forecast of `metric` deviates most, or null.
  [[nodiscard]] const Comparison* worst_node(std::string_view metric) const;
};

/// Trains a recorded run again in its recorded order. An empty function skips the replays.
using Replay = std::function<Record(const Record&)>;
/// Simulates a run with the compute times that it recorded; returns nothing if it has none.
using OwnTimes = std::function<std::optional<Record>(const Record& run)>;
/// Simulates a run at the machine's speed around it; returns nothing if that was not measured.
using OfMoment = std::function<std::optional<Record>(const Record& run)>;

/// The records of a case; all of them are complete trainings.
struct CaseRecords {
  std::vector<Record> runs;  ///< one or more
  Record simulated;
};

/// Compares the runs of a case with its simulation.
CaseValidation compare_case(const Case& scenario_case, CaseRecords&& records,
                            const Replay& replay = {}, const OwnTimes& own_times = {},
                            const OfMoment& of_moment = {});

/// Absolute errors of the forecasts of a strategy, over its cases.
struct ErrorRange {
  double median = 0;
  double p95 = 0;
  double max = 0;
};

struct Validation {
  std::vector<CaseValidation> cases;
  int repetitions = 0;
  int found = 0;  ///< runs of an earlier start that were used again

  /// Errors of `metric` for each strategy that has any.
  [[nodiscard]] std::map<std::string, ErrorRange> errors(std::string_view metric) const;
  /// Whether the weights of all cases with an answer are equal; empty if no case has one.
  [[nodiscard]] std::optional<bool> weights_equal() const;
  /// Likewise for the replays.
  [[nodiscard]] std::optional<bool> replays_equal() const;
  /// The strategies in the order of their first cases.
  [[nodiscard]] std::vector<std::string> strategies() const;
};

/// Cases that differ in `seed` alone.
struct SeedGroup {
  Case scenario_case;                   ///< the first of them, without its setting `seed`
  std::vector<std::size_t> members;     ///< indices of the cases; two or more
  std::vector<Comparison> comparisons;  ///< medians over the seeds, of metrics that all members
                                        ///< have; quartiles and spread are over the seeds, too
};

/// The groups in the order of their first cases.
std::vector<SeedGroup> seed_groups(const Validation& validation);

}  // namespace foretrain
