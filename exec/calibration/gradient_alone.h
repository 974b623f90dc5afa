// The present speed of this machine in training a model.
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

/// Trains the model of a case at its batch size for 0.3 s, with one worker alone in a separate
/// process. The same gradient on a virtual machine can take 1.5 times as long a minute later. This
/// measures the speed around a training, so that a forecast can be judged at that speed.
class GradientAlone {
 public:
  /// `program`: as in CalibrateOptions.
  explicit GradientAlone(const std::filesystem::path& program = CalibrateOptions().program);

  /// Runs a training of the case and stores the gradient times right before and after it
  /// (Record::alone_s). A measurement made just before counts as the one before. @throws NotDone
  Record around(const Case& scenario_case, const std::function<Record()>& run);

  /// Simulates a case on this machine with cores that take `slower` times the calibrated times.
  using Simulate = std::function<Record(const Case&, double slower)>;
  /// Simulates the case of a run at the speed around it: the measured gradient time over the
  /// forecast one. nullopt if the speed was not measured.
  std::optional<Record> at_moment_of(const Record& run, const Simulate& simulate);

 private:
  using Clock = std::chrono::steady_clock;

  struct Runs {
    explicit Runs(const Case& of, const CalibrateOptions& options)
        : scenario_case(of), steady(scenario_case, options, 1) {}

    Case scenario_case;
    SteadyRuns steady;
  };
  double look(const Case& scenario_case);  // median seconds of a gradient
  Runs& runs_of(const Case& scenario_case);

  CalibrateOptions options_;
  std::map<std::string, std::unique_ptr<Runs>> runs_;  // by their training
  struct {
    const Runs* runs = nullptr;
    double gradient_s = 0;
    Clock::time_point at;
  } last_;  // the latest measurement
};

}  // namespace foretrain::exec
