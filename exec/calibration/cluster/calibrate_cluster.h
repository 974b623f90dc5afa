// Measures the hosts that a launcher has started tasks on, with the network between them.
#pragma once

#include "exec/calibration/calibrate.h"
#include "scenarios/spec/scenario.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

struct ClusterOptions {
  /// The file of the job key that tasks show each other; empty: as the environment says.
  std::string job_key;
  /// The folder of machine files and of cluster.yaml, on the machine of rank 0; empty: machines.
  std::filesystem::path out;
  /// Whose models are measured; the first of them is trained in cluster.yaml. Empty: the usual.
  std::vector<Case> cases;
  /// Of rank 0 alone: told what is being measured, at the end what was found.
  std::function<void(const std::string& text)> tell;
  CalibrateOptions compute{};
};

struct ClusterEnd {
  int status = 0;
  std::filesystem::path file{};  ///< cluster.yaml; of all but rank 0 none
};

/// Every task of a launcher calls it (task.h); they meet as those of a run do, FORETRAIN_JOIN_LIMIT
/// and FORETRAIN_TLS included. What is measured is never encrypted: forecasts know no encryption.
/// @throws InputError (no launcher, one host alone, a folder that cannot be written, no way to
/// meet), std::runtime_error (a task was lost, or could not measure), NotDone (a signal came)
ClusterEnd calibrate_cluster(const ClusterOptions& options);

}  // namespace foretrain::exec
