// What the cores cost: applying updates, sharing a core, computing beside others.
#pragma once

#include "scenarios/machine.h"
#include "scenarios/prepared.h"

#include <cstdint>
#include <memory>
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

/// What one worker alone computes of the scenario's model and data, within this process.
std::shared_ptr<const Training> training_alone(const Case& scenario_case, int batch_size,
                                               std::int64_t steps, DataSets& data_sets);

/// By what factors gradients slow down in company.
struct Company {
  double contention = 1;       ///< while another core computes them too
  double cache_pollution = 1;  ///< where another thread computes them on the same core, in turns
};
/// Of the scenario's model at `batch_size`, by processes that know nothing of each other: rates of
/// two on two cores (if there are), CPU time of a gradient of two that yield the core to each other
/// after each.
Company measure_company(const Case& scenario_case, int batch_size, const std::vector<int>& cores,
                        DataSets& data_sets);

/// The straight line through two measured points.
AffineCost line_through(double count_a, double time_a_s, double count_b, double time_b_s);

}  // namespace foretrain::exec
