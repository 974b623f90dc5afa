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

/// The gradient's cost through two points, the first of fewer examples:
///
///     overhead + per_item x examples            where an example costs the less the more there are
///     per_item x examples ^ growth, growth > 1  where it costs more: a batch that leaves a cache
ModelCost fitted(const BatchPoint& small, const BatchPoint& large);

/// What a gradient takes while no other core computes, and while another one does.
struct InCompany {
  double alone_s = 0;
  double contended_s = 0;
};

/// Contention through both: a factor, of at least 1, and a time however small the gradient. Where
/// both do not fit, the time is the mean of what the factor leaves; negative: the factor alone, of
/// the large one.
void add_contention(ModelCost& cost, const InCompany& small, const InCompany& large);

/// Trains the scenario's model as `run` does it, one worker alone, at two batch sizes in turn, so
/// that a slow moment of the machine meets both, and at a third between them. The cost is fitted to
/// the two; of the third it says how far off the fit is (`residual`). What an update's byte costs
/// comes from the same runs, where the cache is as a gradient has left it; of a sparse model, what
/// several pushes and messages cost beside that from sparse_costs.h, and what a dense update does
/// from one worker of a ring. Contention is measured at both batch sizes of the fit. Where its
/// parameters are more than a core's caches hold, messages of their size say what that costs on one
/// core (`streaming`), what from one to another (`crossing`).
ModelCost measure_model(const Prepared& prepared, const CalibrateOptions& options,
                        Repeater& repeater, DataSets& data_sets);

/// Resident memory of a node's process that has next to nothing to learn, beside that.
Bytes measure_base(const CalibrateOptions& options);

}  // namespace foretrain::exec
