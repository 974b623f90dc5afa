// The files that a measured cluster is described by.
#pragma once

#include "exec/calibration/cluster/found.h"
#include "scenarios/spec/scenario.h"

#include <filesystem>
#include <string>

namespace foretrain::exec {

inline constexpr const char* kClusterFile = "cluster.yaml";

/// A scenario on the measured hosts: `base` with their `cluster:`, whose machine files are beside
/// it, at its top which hosts are of which kind, what differs, which pairs are slow. It reads back.
std::string cluster_yaml(const ClusterFound& found, const Scenario& base);

/// The same for people: a screen.
std::string cluster_summary(const ClusterFound& found);

/// A machine file a kind, then kClusterFile, into `folder`, which is there (prepare_folder).
/// @throws InputError
void write_cluster(const ClusterFound& found, const Scenario& base,
                   const std::filesystem::path& folder);

}  // namespace foretrain::exec
