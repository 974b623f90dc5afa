// The metrics of a training, measured by its runs beside what its simulation predicted.
#pragma once

#include "reports/record/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// One metric of one case, or of one of its nodes. Only what both modes know is compared.
///
/// Of the training: step_time_ms (median over the steps, evaluation left out), time_s,
/// updates_per_s, gradients_per_s, examples_per_s, time_to_target_s (interpolated), staleness_mean,
/// test_accuracy, final_loss, bytes_sent, messages_sent, and the phases of a mean step: compute_ms,
/// push_ms, wait_ms, apply_ms, pull_ms, evaluate_ms. Of a node: cpu_percent (of a core), rss_bytes.
struct Comparison {
  std::string metric;
  std::string node;              ///< its role; empty: the whole training
  double measured = 0;           ///< median of the runs
  double q1 = 0;                 ///< a quarter of the runs lies below it
  double q3 = 0;                 ///< a quarter lies above it
  std::optional<double> spread;  ///< half the interquartile range of the runs over the median;
                                 ///< empty for one run, or around zero
  double predicted = 0;
  double predicted_low = 0;     ///< a time or a rate is expected to be measured between them
  double predicted_high = 0;    ///< (forecast_range.h); others: as predicted
  std::optional<double> error;  ///< predicted / measured - 1; empty where only measured is zero
  /// The same error of one of the runs against its simulation with the compute times that it
  /// recorded itself: that of protocol, transport and network. Empty where there is none.
  std::optional<double> protocol_error{};
  /// The same error against a simulation at the speed that the machine had around that run
  /// (Record::alone_s), without what a calibration at another moment adds.
  std::optional<double> moment_error{};
  double difference = 0;  ///< predicted - measured
  bool exact = false;     ///< every run measured precisely what was predicted

  /// Whether the measured value lies in the forecast's range; empty where that is one value.
  [[nodiscard]] std::optional<bool> in_range() const;
  /// What is left of the error: that of compute.
  [[nodiscard]] std::optional<double> compute_error() const;
};

/// `values`, at least one, against `predicted`.
Comparison compared(std::string metric, std::string node, const std::vector<double>& values,
                    double predicted);

/// Every metric that all runs and the simulation know.
std::vector<Comparison> compare(const std::vector<Record>& runs, const Record& simulated);

/// Gives the times and rates of the training the range of the forecast.
void add_ranges(const Record& simulated, std::vector<Comparison>& comparisons);

/// Sets `error` (protocol_error, moment_error) of each metric: that of another simulation of `run`.
void compare_again(const Record& run, const Record& simulated,
                   std::optional<double> Comparison::*error, std::vector<Comparison>& comparisons);

/// How far off the forecast of a metric is by the measure in which its goal is written: points of
/// cpu_percent, else the error without its sign. Empty where there is no error.
std::optional<double> deviation(const Comparison& comparison);

}  // namespace foretrain
