// Measures the hosts of a launcher's tasks, with the network between them.
#pragma once

#include "exec/calibration/calibrate.h"
#include "scenarios/spec/scenario.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

struct ClusterOptions {
  /// File of the job key that the tasks prove to each other; if empty, the environment gives it.
  std::string job_key;
  /// Folder of machine files and cluster.yaml, on the machine of rank 0; if empty, machines.
  std::filesystem::path out;
  /// Cases whose models are measured; cluster.yaml trains the first. If empty, the usual ones.
  std::vector<Case> cases;
  /// Rank 0 only: receives what is being measured, and at the end the results.
  std::function<void(const std::string& text)> tell;
  CalibrateOptions compute{};
};

struct ClusterEnd {
  int status = 0;
  std::filesystem::path file{};  ///< cluster.yaml; empty on all ranks except 0
};

/// Called by every task of a launcher (task.h). The tasks meet as those of a run, with
/// FORETRAIN_JOIN_LIMIT and FORETRAIN_TLS. Measured traffic is never encrypted, since forecasts do
/// not model encryption.
/// @throws InputError (no launcher, only one host, a folder that cannot be written, no way to
/// meet), std::runtime_error (a task was lost, or could not measure), NotDone (a signal came)
ClusterEnd calibrate_cluster(const ClusterOptions& options);

}  // namespace foretrain::exec
