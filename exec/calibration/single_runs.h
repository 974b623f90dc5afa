// What a model costs, measured by one worker alone.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/repeater.h"
#include "scenarios/resolve/prepared.h"

#include <vector>

namespace foretrain::exec {

/// What a batch of so many examples takes.
struct BatchPoint {
  double examples = 1;
  double time_s = 0;
};

/// overhead + per_item x examples, by least squares of the relative errors: of points whose times
/// are a thousand times apart each counts alike. Where the overhead, or the time an example, would
/// be below 0, per_item x examples.
AffineCost fitted(const std::vector<BatchPoint>& points);

/// Trains the scenario's model as `run` does it, one worker alone (steady_runs.h), at three batch
/// sizes in turn, so that a slow moment of the machine meets all. The cost is fitted to them, less
/// what they waited for their bytes, or for a thread, by what is known of `machine` (its `memory`,
/// `thread_change`); of the middle one it says how far off the fit is (`residual`): how straight
/// the line. What an update's byte costs comes from the same runs; of a sparse model, what messages
/// cost from measure_coding.
ModelCost measure_model(const Prepared& prepared, const Machine& machine,
                        const CalibrateOptions& options, Repeater& repeater, DataSets& data_sets);

/// What a gradient takes longer beside a server, with messages before each, than one of a worker
/// that has none: of a softmax regression, seconds (Machine::resume).
double measure_resume(const CalibrateOptions& options);

/// Seconds a byte of what is made, checked, answered of messages (Worked). Of the scenario's model
/// and data, at that batch size: pushes are made, checked, applied, answered, as between a worker
/// and its server, within one process and without messages.
double measure_coding(const Case& scenario_case, int batch_size, int core, DataSets& data_sets);

/// Resident memory of a node's process that has next to nothing to learn, beside that.
Bytes measure_base(const CalibrateOptions& options);

}  // namespace foretrain::exec
