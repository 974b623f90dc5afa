// Trainings of one worker alone, long enough for steady step times.
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

/// Figures of a worker alone. The first quarter of its steps is ignored: buffers are touched for
/// the first time then, and data that no cache holds.
struct SteadyRun {
  double gradient_s = 0;  ///< median time of a step without messages and update, including the
                          ///< loop's work between them
  double jitter = 0;      ///< standard deviation of the logarithm of a gradient's time
  double evaluate_s = 0;  ///< per example, median
  double apply_s = 0;     ///< median
};

/// Medians of the second and the last quarter of the step times, in order of time.
struct Quarters {
  double second_s = 0;
  double last_s = 0;

  /// True if they differ by 2 % at most.
  [[nodiscard]] bool steady() const;
};
/// For four steps or more.
Quarters quarters_of(const std::vector<double>& times_s);

/// Median gradient time in the record of such a training, run or simulated, in seconds.
double gradient_of(const Record& alone);

/// Trains the model of a case as `run` does, in a separate process, for half a second, then
/// repeatedly for twice as long until the steps are steady, at most three seconds.
class SteadyRuns {
 public:
  /// The references outlive this. `test_examples`: of each evaluation.
  SteadyRuns(const Case& scenario_case, const CalibrateOptions& options, std::int64_t test_examples)
      : scenario_case_(scenario_case), options_(options), test_examples_(test_examples) {}

  /// Measures one worker under a strategy. The necessary length is determined once.
  /// @throws NotDone if the training fails or is interrupted
  SteadyRun measure(int batch_size, std::string_view strategy = protocol_alone().name);

  /// The case that is trained: one worker, no cluster, no stragglers.
  [[nodiscard]] Case alone(int batch_size, std::int64_t steps,
                           std::string_view strategy = protocol_alone().name) const;

 private:
  struct Length {
    std::int64_t steps = 0;
    bool found = false;  // steady, or at the maximum
  };

  const Case& scenario_case_;
  const CalibrateOptions& options_;
  std::int64_t test_examples_;
  std::map<std::pair<std::string, int>, Length> lengths_;  // by strategy and batch size
};

}  // namespace foretrain::exec
