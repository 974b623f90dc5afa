// What a model costs, measured by one worker alone.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/repeater.h"
#include "scenarios/prepared.h"

namespace foretrain::exec {

/// What a batch of so many examples takes.
struct BatchPoint {
  double examples = 1;
  double time_s = 0;
};

/// overhead + per_item x examples, through two points, the first of fewer examples; where one of
/// the two would be below 0, per_item x examples, the mean of both.
AffineCost fitted(const BatchPoint& small, const BatchPoint& large);

/// Trains the scenario's model as `run` does it, one worker alone (steady_runs.h), at two batch
/// sizes in turn, so that a slow moment of the machine meets both, and at a third between them. The
/// cost is fitted to the two, less what they waited for their bytes by what is known of `memory`;
/// of the third it says how far off the fit is (`residual`). What an update's byte costs comes from
/// the same runs; of a sparse model, what messages cost from sparse_costs.h.
ModelCost measure_model(const Prepared& prepared, const MemoryHierarchy& memory,
                        const CalibrateOptions& options, Repeater& repeater, DataSets& data_sets);

/// Resident memory of a node's process that has next to nothing to learn, beside that.
Bytes measure_base(const CalibrateOptions& options);

}  // namespace foretrain::exec
