// Whether the connections of a training fit into what a process may have open.
#pragma once

#include "models/protocol/training.h"

#include <cstddef>

namespace foretrain::exec {

/// How many descriptors the process of the training that needs most has open at once: the launcher
/// talks to every node and listens on `hosts`, a node talks to its peers.
int descriptors_need(const Training& training, std::size_t hosts);

/// Raises what this process may have open (`ulimit -n`) from the soft limit to the hard one;
/// processes that it starts inherit that. @throws InputError that names both figures, where `need`
/// is more than the hard limit
void allow_descriptors(int need);

}  // namespace foretrain::exec
