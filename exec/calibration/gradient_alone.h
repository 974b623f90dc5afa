// How fast this machine trains a model at this moment.
#pragma once

#include "exec/calibration/steady_runs.h"

#include <map>
#include <memory>
#include <string>

namespace foretrain::exec {

/// Trains the model of a case at its batch size, by one worker alone in a process of its own, for
/// 0.3 s. A virtual machine computes the same gradient half as fast from one minute to the next;
/// this tells how fast it is around a training, so that a forecast can be judged without that.
class GradientAlone {
 public:
  GradientAlone();

  /// Seconds of a gradient, the median. @throws NotDone
  double look(const Case& scenario_case);
  /// The training that `look` measures, for a forecast of it.
  Case trained(const Case& scenario_case);

 private:
  struct Runs {
    explicit Runs(const Case& of, const CalibrateOptions& options)
        : scenario_case(of), steady(scenario_case, options, 1) {}

    Case scenario_case;
    SteadyRuns steady;
  };
  Runs& runs_of(const Case& scenario_case);

  CalibrateOptions options_;
  std::map<std::string, std::unique_ptr<Runs>> runs_;  // by the label of a case
};

}  // namespace foretrain::exec
