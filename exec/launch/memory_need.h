// Whether a training fits into the memory of this machine.
#pragma once

#include "models/base/quantity.h"
#include "models/protocol/training.h"

namespace foretrain::exec {

/// What the nodes of a training hold at least, all of them together: parameters, gradients, the
/// optimizer's state, activations; with servers that learn synchronously, a gradient of each worker
/// there, too. Without data.
Bytes memory_need(const Training& training);

/// Of this machine, without pushing others out; negative: the kernel does not say.
Bytes available_memory();

/// @throws InputError that names both figures, where a training on this machine alone needs more
/// than there is
void check_memory(const Training& training);

}  // namespace foretrain::exec
