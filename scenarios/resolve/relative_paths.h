// Files that a scenario names by paths relative to its own folder.
#pragma once

#include "scenarios/spec/scenario.h"

#include <filesystem>

namespace foretrain {

/// Completes each path of the scenario (model.profile, dataset.path, machine, trace, weights,
/// neighbours) that names something in `folder`, the folder of the scenario's file. Other paths
/// stay as they are: they are relative to the working directory or name a file of the library
/// (library.h).
void resolve_relative_paths(Scenario& scenario, const std::filesystem::path& folder);

/// Returns the scenario as a file in `folder` has to write it: each path that exists relative to
/// the working directory becomes relative to `folder`, which need not exist yet. Absolute paths and
/// names of the library stay.
Scenario paths_relative_to(const std::filesystem::path& folder, Scenario scenario);

}  // namespace foretrain
