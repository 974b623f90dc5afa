// What the cores cost: applying updates, sharing a core, computing beside others.
#pragma once

#include "scenarios/machine.h"
#include "scenarios/scenario.h"

#include <vector>

namespace foretrain::exec {

/// The share of this machine's cores, 0 to 1, that others take: how much of its time a busy thread
/// on each does not get. Above a tenth, what is measured now says little.
double busy_share();

/// Reduces two gradients and applies them, on a core: seconds, by bytes of memory moved. The
/// gradients are in no cache, as those of many workers would be.
AffineCost measure_apply(int core);

/// How long the kernel lets one of two busy threads of a core run: seconds; 0: it cannot be told.
double measure_slice(int core);

/// By what factor gradients of the scenario's model slow down while another core computes them
/// too; two processes, which know nothing of each other. 1 where there is one core.
double measure_contention(const Case& scenario_case, const std::vector<int>& cores);

/// The straight line through two measured points.
AffineCost line_through(double count_a, double time_a_s, double count_b, double time_b_s);

}  // namespace foretrain::exec
