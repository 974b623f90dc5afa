// Both modes side by side: what a run measured against what a simulation predicted.
#pragma once

#include "reports/record/record.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// One metric of one case. Only metrics that both modes know are compared.
struct Comparison {
  std::string metric;            ///< step_time_ms, updates_per_s, staleness_mean, ...
  double measured = 0;           ///< median of the runs
  std::optional<double> spread;  ///< half the interquartile range of the runs over the median;
                                 ///< empty for one run, or around zero
  double predicted = 0;
  std::optional<double> error;  ///< predicted / measured - 1; empty where only measured is zero
  double difference = 0;        ///< predicted - measured
};

struct CaseValidation {
  Case scenario_case;
  std::vector<Comparison> comparisons;
  /// Same weights hash in all runs and the simulation. Empty where the protocol is not
  /// deterministic, where there are no weights, or where their kernel sets differ.
  std::optional<bool> weights_equal;
  Record run;  ///< of the repetitions, the one whose time is the median
  Record simulated;

  /// The comparison called `metric`, or null.
  [[nodiscard]] const Comparison* find(std::string_view metric) const;
};

/// Errors of a strategy's forecasts without their signs, over its cases.
struct ErrorRange {
  double median = 0;
  double p95 = 0;
  double max = 0;
};

struct Validation {
  std::vector<CaseValidation> cases;
  int repetitions = 0;

  /// Errors of `metric` by strategy; a strategy without any is left out.
  [[nodiscard]] std::map<std::string, ErrorRange> errors(std::string_view metric) const;
  /// Of all cases that have an answer; empty where none has.
  [[nodiscard]] std::optional<bool> weights_equal() const;
  /// Whether of every two cases the simulation calls that one faster (gradients/s) which the runs
  /// do. Cases that the runs' own spreads do not tell apart have no order; empty if none has.
  [[nodiscard]] std::optional<bool> order_kept() const;
};

/// Runs every case `repetitions` times (at least once), alternating over the cases so that a slow
/// minute of the machine meets them all, and simulates each once.
/// The two functions are the two modes; they throw where a training fails.
/// @throws std::runtime_error where a record is not of a training that was done
Validation validate(const std::vector<Case>& cases, int repetitions,
                    const std::function<Record(const Case&)>& run,
                    const std::function<Record(const Case&)>& simulate);

/// The comparison as a table for a terminal of 80 columns, the sentence that matters first.
std::string to_table(const Validation& validation);
/// What `validate --json` prints. Unknown figures are null.
nlohmann::ordered_json to_json(const Validation& validation);

}  // namespace foretrain
