// Whether a training fits into the memory of this machine.
#pragma once

#include "models/base/quantity.h"
#include "models/graph/node_memory.h"
#include "models/protocol/training.h"
#include "scenarios/spec/scenario.h"

namespace foretrain::exec {

/// What the nodes of a training hold at least, all of them together, each its own copy of the data:
/// as models/graph/node_memory.h counts it. Without the programs.
Bytes memory_need(const Training& training, const DataMemory& data);

/// Of this machine, without pushing others out; negative: the kernel does not say.
Bytes available_memory();

/// @throws InputError that names both figures, where a training on this machine alone needs more
/// than there is; at the key of the data set, where its examples are the most of that
void check_memory(const Case& scenario_case, const Training& training, const DataMemory& data);

}  // namespace foretrain::exec
