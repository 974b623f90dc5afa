// How the process of a node computes.
#pragma once

#include "exec/driver/node_driver.h"
#include "scenarios/prepared.h"

#include <cstdint>

namespace foretrain::exec {

/// Of a worker: its own cores do it, whatever its scenario describes. `begun`: gradients that it
/// had begun where it goes on; stragglers go on behind them.
Computing computing_of(const Prepared& prepared, NodeId id, std::int64_t begun);

}  // namespace foretrain::exec
