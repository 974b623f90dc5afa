// Trainings of one worker alone, long enough that their steps are steady.
#pragma once

#include "exec/calibration/calibrate.h"
#include "models/networks/network.h"
#include "models/protocol/registry.h"
#include "reports/record/record.h"
#include "scenarios/spec/scenario.h"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::exec {

/// What a worker alone takes. The first quarter of its steps counts for `start` alone: buffers are
/// touched for the first time then, and data that no cache holds.
struct SteadyRun {
  double gradient_s = 0;  ///< median of what a step takes beside its messages and its update: with
                          ///< what the loop does between them
  double jitter = 0;      ///< standard deviation of the logarithm of a gradient's time
  double evaluate_s = 0;  ///< of one example, median
  double apply_s = 0;     ///< median
};

/// Medians of the second and of the last quarter of what steps took, in their order.
struct Quarters {
  double second_s = 0;
  double last_s = 0;

  /// They differ by 2 % at most.
  [[nodiscard]] bool steady() const;
};
/// Of four steps or more.
Quarters quarters_of(const std::vector<double>& times_s);

/// Seconds of a gradient in the record of such a training, run or simulated: the median.
double gradient_of(const Record& alone);

/// Trains the model of a case as `run` does it, in a process of its own, for half a second, as
/// often twice as long as it takes until the steps are steady, for three seconds at most.
class SteadyRuns {
 public:
  /// Outlived by both. `test_examples`: of each evaluation.
  SteadyRuns(const Case& scenario_case, const CalibrateOptions& options, std::int64_t test_examples)
      : scenario_case_(scenario_case), options_(options), test_examples_(test_examples) {}

  /// One worker under a strategy. How long it has to be is found once.
  /// @throws NotDone where the training fails, or is interrupted
  SteadyRun measure(int batch_size, std::string_view strategy = protocol_alone().name);

  /// What is trained: one worker, no cluster, no straggler.
  [[nodiscard]] Case alone(int batch_size, std::int64_t steps,
                           std::string_view strategy = protocol_alone().name) const;

 private:
  struct Length {
    std::int64_t steps = 0;
    bool found = false;  // steady, or as long as it may be
  };

  const Case& scenario_case_;
  const CalibrateOptions& options_;
  std::int64_t test_examples_;
  std::map<std::pair<std::string, int>, Length> lengths_;  // by strategy, batch size
};

}  // namespace foretrain::exec
