// Whether the files that a case names are there, hold what fits it.
#pragma once

#include "scenarios/case_data.h"
#include "scenarios/scenario.h"

namespace foretrain {

/// What a run or a simulation of the case would refuse before it begins: machine files, traces of
/// stragglers, the data set, the shapes of layers, a profile, weights to start from, neighbours.
/// Headers and lengths of files tell the shape of images; sparse text is read.
/// @throws InputError with the place of the key that names it
void check_named(const Case& scenario_case, DataSets& data_sets);

}  // namespace foretrain
