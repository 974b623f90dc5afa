// Check that a training fits into the memory of this machine.
#pragma once

#include "models/base/quantity.h"
#include "models/graph/node_memory.h"
#include "models/protocol/training.h"
#include "scenarios/spec/scenario.h"

#include <optional>

namespace foretrain::exec {

/// Minimum memory of all nodes of a training together, each with its own copy of the data, as
/// models/graph/node_memory.h counts it. Without the programs.
Bytes memory_need(const Training& training, const DataMemory& data);

/// Available memory of this machine without swapping; nothing if the kernel does not report it.
std::optional<Bytes> available_memory();

/// @throws InputError with both figures if a training on this machine alone needs more than is
/// available; at the data set's key if examples are most of it
void check_memory(const Case& scenario_case, const Training& training, const DataMemory& data);

}  // namespace foretrain::exec
