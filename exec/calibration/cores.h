// Costs of cores: applying updates, sharing a core, computing next to busy cores.
#pragma once

#include "scenarios/resolve/prepared.h"
#include "scenarios/spec/machine.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain::exec {

/// The share of this machine's CPU time, 0 to 1, that others take: the time that a busy thread on
/// each core does not get. Above a tenth, measurements are of little use.
double busy_share();

/// Time to reduce two gradients and apply them on one core, in seconds by bytes of memory moved.
/// Gradients and parameters are in its cache; cache misses are added by models/cost/caches.h.
AffineCost measure_apply(int core);

/// Time slice of two busy threads that share a core, in seconds; 0 if it cannot be measured.
double measure_slice(int core);

/// Cost of a context switch between two processes, in seconds. Each process touches 32 KB per turn,
/// a first-level cache, so the figure includes refilling that cache as well as the kernel's work.
double measure_context_switch(int core);

/// Additional time of a job that is handed to a compute thread and reported to the event loop
/// (models/cost/job_placement.h), compared with a job on the loop: seconds. Measured with
/// successive empty jobs that a node's driver executes.
double measure_thread_handoff(int core);

/// The training of one worker alone with the scenario's model and data, within this process.
std::shared_ptr<const Training> training_alone(const Case& scenario_case, int batch_size,
                                               std::int64_t steps, DataSets& data_sets);

/// Ratio of arithmetic times on numbers in a core's own cache, with the other core doing the same
/// versus idle: above 1 if they share execution units or a power budget.
double measure_contention(int core_a, int core_b);

/// The straight line through two measured points.
AffineCost line_through(double count_a, double time_a_s, double count_b, double time_b_s);

}  // namespace foretrain::exec
