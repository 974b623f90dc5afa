// The files that describe a measured cluster.
#pragma once

#include "exec/calibration/cluster/found.h"
#include "scenarios/spec/scenario.h"

#include <filesystem>
#include <string>

namespace foretrain::exec {

inline constexpr const char* kClusterFile = "cluster.yaml";

/// A scenario on the measured hosts: `base` with their `cluster:`, whose machine files lie in the
/// same folder. Comments at its top list the hosts of each kind, differences, and slow pairs. It
/// parses.
std::string cluster_yaml(const ClusterFound& found, const Scenario& base);

/// The same as a table for the terminal.
std::string cluster_summary(const ClusterFound& found);

/// Writes a machine file per kind, then kClusterFile, into the existing `folder` (prepare_folder).
/// @throws InputError
void write_cluster(const ClusterFound& found, const Scenario& base,
                   const std::filesystem::path& folder);

}  // namespace foretrain::exec
