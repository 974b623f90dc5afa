// The metrics of a training, as measured by its runs, as predicted by its simulation.
#pragma once

#include "reports/record/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// One metric of a case or of one of its nodes, as known by both modes.
///
/// Metrics of a training: step_time_ms (median over the steps, without evaluation), time_s,
/// updates_per_s, gradients_per_s, examples_per_s, time_to_target_s (interpolated), staleness_mean,
/// test_accuracy, final_loss, bytes_sent, messages_sent, and the mean time of each phase per step:
/// compute_ms, push_ms, wait_ms, apply_ms, pull_ms, evaluate_ms. Metrics of a node: cpu_percent (of
/// one core), rss_bytes.
struct Comparison {
  std::string metric;
  std::string node;              ///< role of the node; empty for a metric of the training
  double measured = 0;           ///< median of the runs
  double q1 = 0;                 ///< first quartile of the runs
  double q3 = 0;                 ///< third quartile of the runs
  std::optional<double> spread;  ///< half the interquartile range of the runs over their median;
                                 ///< empty for a single run and for a median of zero
  double predicted = 0;
  double predicted_low = 0;     ///< a measured time or rate is expected between these
  double predicted_high = 0;    ///< two (forecast_range.h); else both are `predicted`
  std::optional<double> error;  ///< predicted / measured - 1; empty if measured is 0, predicted not
  /// Error of a simulation with the compute times that one run recorded, against that run: the part
  /// of the error that protocol, transport and network cause. Empty if it was not simulated.
  std::optional<double> protocol_error{};
  /// Error of a simulation at the speed that the machine had around that run (Record::alone_s),
  /// against that run: it is free of the drift of the machine since its calibration.
  std::optional<double> moment_error{};
  double difference = 0;  ///< predicted - measured
  bool exact = false;     ///< every run measured exactly the predicted value

  /// Whether the measured value lies in the forecast's range; empty if the range is a single value.
  [[nodiscard]] std::optional<bool> in_range() const;
  /// error - protocol_error: the part of the error that compute times cause.
  [[nodiscard]] std::optional<double> compute_error() const;
};

/// Compares the `values` of the runs, at least one, with `predicted`.
Comparison compared(std::string metric, std::string node, const std::vector<double>& values,
                    double predicted);

/// Compares every metric that all runs and the simulation know.
std::vector<Comparison> compare(const std::vector<Record>& runs, const Record& simulated);

/// Sets the forecast's range of the training's times and rates.
void add_ranges(const Record& simulated, std::vector<Comparison>& comparisons);

/// Sets `error` (protocol_error or moment_error) of each metric from another simulation of `run`.
void compare_again(const Record& run, const Record& simulated,
                   std::optional<double> Comparison::*error, std::vector<Comparison>& comparisons);

/// Distance of the forecast from the measurement in the unit of the metric's goal: percentage
/// points for cpu_percent, else the absolute error. Empty if the error is not known.
std::optional<double> deviation(const Comparison& comparison);

}  // namespace foretrain
