// The cost of a model, measured with one worker alone.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/repeater.h"
#include "scenarios/resolve/prepared.h"

#include <vector>

namespace foretrain::exec {

/// The time of a batch with this number of examples.
struct BatchPoint {
  double examples = 1;
  double time_s = 0;
};

/// overhead + per_item x examples, by least squares of the relative errors: points whose times
/// differ by a factor of a thousand have equal weight. per_item x examples if the overhead or the
/// time per example would be negative.
AffineCost fitted(const std::vector<BatchPoint>& points);

/// Trains the scenario's model as `run` does, with one worker alone (steady_runs.h), at three batch
/// sizes in turn, so that a slow moment of the machine affects all. The cost is fitted to them,
/// without cache misses and thread handoffs, which are subtracted by the figures of `machine`
/// (`memory`, `thread_handoff`). `residual` is the error of the fit at the middle size, a measure
/// of linearity. The cost of an update's byte comes from the same runs; for a sparse model that of
/// messages comes from measure_coding.
ModelCost measure_model(const Prepared& prepared, const Machine& machine,
                        const CalibrateOptions& options, Repeater& repeater, DataSets& data_sets);

/// Additional time of a gradient with a server, whose messages come before each, compared with a
/// worker without one: a softmax regression, seconds (Machine::resume).
double measure_resume(const CalibrateOptions& options);

/// Seconds per byte for encoding, checking and answering messages (SpentCost), with the scenario's
/// sparse model and data at that batch size, on that core: pushes are encoded, checked, applied and
/// answered, as between a worker and its server, but within one process and without messages.
double measure_coding(const Case& scenario_case, int batch_size, int core, DataSets& data_sets);

/// Resident memory of a node's process without its training, from a tiny training.
Bytes measure_base(const CalibrateOptions& options);

}  // namespace foretrain::exec
