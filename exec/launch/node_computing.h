// How the process of a node computes.
#pragma once

#include "exec/driver/node_driver.h"
#include "scenarios/prepared.h"

namespace foretrain::exec {

/// Of a worker: its own cores do it, whatever its scenario describes.
Computing computing_of(const Prepared& prepared, NodeId id);

}  // namespace foretrain::exec
