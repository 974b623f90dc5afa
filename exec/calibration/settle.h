// The end of a calibration: its figures at one speed of the machine.
#pragma once

#include "scenarios/machine.h"

namespace foretrain::exec {

/// What a core takes that works (gradients, updates, messages, bytes out of caches and memory,
/// changes between them) becomes `factor` times as long (CoreWatch::settled). What others decide
/// stays: how a sleeper is woken, slices, a bandwidth that cores share, a disk.
void settle(Machine& machine, double factor);

}  // namespace foretrain::exec
