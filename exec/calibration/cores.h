// What the cores cost: applying updates, sharing a core, computing beside others.
#pragma once

#include "scenarios/resolve/prepared.h"
#include "scenarios/spec/machine.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain::exec {

/// The share of this machine's cores, 0 to 1, that others take: how much of its time a busy thread
/// on each does not get. Above a tenth, what is measured now says little.
double busy_share();

/// Reduces two gradients and applies them, on a core: seconds, by bytes of memory moved. The
/// gradients and parameters are in its cache: what others cost to bring there comes on top
/// (models/cost/caches.h).
AffineCost measure_apply(int core);

/// How long the kernel lets one of two busy threads of a core run: seconds; 0: it cannot be told.
double measure_slice(int core);

/// How much longer a core takes for pieces of work of two processes in turn than of one: seconds a
/// piece. Each piece touches 32 KB, a first cache, so what the other has pushed out of that is in
/// it, beside the kernel's work.
double measure_process_change(int core);

/// How much longer a job takes on a core where it is handed to a thread that computes and the event
/// loop is told of its end (models/cost/job_placement.h), than where it runs on the loop:
/// seconds. Of jobs that do nothing, one after another, which a driver of a node carries out.
double measure_thread_change(int core);

/// What one worker alone computes of the scenario's model and data, within this process.
std::shared_ptr<const Training> training_alone(const Case& scenario_case, int batch_size,
                                               std::int64_t steps, DataSets& data_sets);

/// How many times as long arithmetic takes on numbers that each core's own cache holds while the
/// other core does the same: above 1 where they share execution units, or a power budget.
double measure_contention(int core_a, int core_b);

/// The straight line through two measured points.
AffineCost line_through(double count_a, double time_a_s, double count_b, double time_b_s);

}  // namespace foretrain::exec
