// Measures what this machine costs, as far as a forecast needs it.
#pragma once

#include "scenarios/machine.h"
#include "scenarios/scenario.h"

#include <filesystem>
#include <functional>
#include <string>

namespace foretrain::exec {

struct CalibrateOptions {
  /// The program whose `node` subcommand is a node.
  std::filesystem::path program = "/proc/self/exe";
  /// Told what is being measured, for people.
  std::function<void(const std::string& what)> progress;
};

/// The share of this machine's cores, 0 to 1, that others take: how much of its time a busy thread
/// on each does not get. Above a tenth, what is measured now says little.
double busy_share();

/// Measures the model and the data set of `scenario`, one worker alone, at two batch sizes;
/// messages over loopback; reducing and applying; slices and contention of busy cores. No run with
/// more than one worker, so that every forecast of one is a forecast. A few seconds.
Machine calibrate(const Case& scenario_case, const CalibrateOptions& options);

/// Adds the model of `scenario_case` to what is known of this machine.
void calibrate_model(Machine& machine, const Case& scenario_case, const CalibrateOptions& options);

}  // namespace foretrain::exec
