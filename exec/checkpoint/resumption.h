// Where a training goes on from.
#pragma once

#include "exec/checkpoint/checkpoint.h"
#include "reports/record/record.h"
#include "scenarios/scenario.h"

#include <filesystem>

namespace foretrain::exec {

/// The newest whole checkpoint of a run, with the rows of its record that came before the cut.
struct Resumption {
  std::filesystem::path folder;  ///< of that run, absolute
  Manifest manifest;
  Record record;  ///< its rows; no inputs: their order is not known to the end
};

/// @throws InputError where the checkpoint is of another training than `scenario_case`, or has not
/// the part of each of its nodes
void check_is_of(const Manifest& manifest, const Case& scenario_case);

/// Finds it, says on standard error where it goes on, and what newer checkpoints it passes over.
/// `here`: all parts are on this machine, and are looked at. @throws InputError where there is
/// none, or it is of another training than `scenario_case`
Resumption find_resumption(const std::filesystem::path& folder, const Case& scenario_case,
                           bool here);

}  // namespace foretrain::exec
