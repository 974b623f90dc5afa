// Whether this machine still computes as fast as when it was calibrated.
#pragma once

#include "scenarios/machine.h"
#include "scenarios/prepared.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace foretrain::exec {

/// Of a virtual machine, or one whose clock follows its heat, the speed changes within minutes. A
/// forecast cannot know; who compares it with a run can, and tell that error from the model's.
class DriftMeter {
 public:
  /// `program`: whose `node` subcommand is a node (RunOptions::program).
  explicit DriftMeter(std::filesystem::path program = "/proc/self/exe")
      : program_(std::move(program)) {}

  /// What a gradient of one worker alone takes now over what it took then, at the batch size that
  /// checked the fit: 1.2, this machine computes 20 % slower. Trains for up to a second, unless it
  /// did so for this model less than 5 s ago. Empty where `machine` does not say what it measured
  /// of the model. @throws std::runtime_error where the training fails
  std::optional<double> measure(const Prepared& prepared, const Machine& machine);

 private:
  struct Known {
    std::chrono::steady_clock::time_point when;
    double drift = 1;
  };
  std::filesystem::path program_;
  std::map<std::string, Known> known_;  // by model
};

}  // namespace foretrain::exec
