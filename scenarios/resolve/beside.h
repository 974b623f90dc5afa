// Files that a scenario names by where they are to it.
#pragma once

#include "scenarios/spec/scenario.h"

#include <filesystem>

namespace foretrain {

/// Completes each path of the scenario (model.profile, dataset.path, machine, trace, weights,
/// neighbours) that names something in `folder`, where the scenario's file is. The others stay:
/// they count from the working directory, or are the library's (library.h).
void look_beside(Scenario& scenario, const std::filesystem::path& folder);

/// The scenario as a file of `folder` has to say it: each such path that names something from the
/// working directory is written from that folder, which need not be there yet. Whole paths, and
/// names of the library, stay.
Scenario seen_from(const std::filesystem::path& folder, Scenario scenario);

}  // namespace foretrain
