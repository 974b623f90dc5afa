// How fast this machine trains a model at this moment.
#pragma once

#include "exec/calibration/steady_runs.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace foretrain::exec {

/// Trains the model of a case at its batch size, by one worker alone in a process of its own, for
/// 0.3 s. A virtual machine takes 1.5 times as long for the same gradient from one minute to the
/// next; this tells how fast it is around a training, so that a forecast can be judged without
/// that.
class GradientAlone {
 public:
  /// `program`: as in CalibrateOptions.
  explicit GradientAlone(const std::filesystem::path& program = CalibrateOptions().program);

  /// A training of the case, with what a gradient takes right before it and right after it
  /// (Record::alone_s). A look just before counts as the one before it. @throws NotDone
  Record around(const Case& scenario_case, const std::function<Record()>& run);

  /// Simulates a case on this machine, whose cores take `slower` times as long as calibrated.
  using Simulate = std::function<Record(const Case&, double slower)>;
  /// The case of a run at the speed around it: the gradient as it was seen, over its forecast.
  /// Nothing: nobody looked.
  std::optional<Record> at_moment_of(const Record& run, const Simulate& simulate);

 private:
  using Clock = std::chrono::steady_clock;

  struct Runs {
    explicit Runs(const Case& of, const CalibrateOptions& options)
        : scenario_case(of), steady(scenario_case, options, 1) {}

    Case scenario_case;
    SteadyRuns steady;
  };
  double look(const Case& scenario_case);  // seconds of a gradient, the median
  Runs& runs_of(const Case& scenario_case);

  CalibrateOptions options_;
  std::map<std::string, std::unique_ptr<Runs>> runs_;  // by what they train
  struct {
    const Runs* runs = nullptr;
    double gradient_s = 0;
    Clock::time_point at;
  } last_;  // look
};

}  // namespace foretrain::exec
