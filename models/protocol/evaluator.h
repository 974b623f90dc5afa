// The chief's side of an evaluation.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/worker_compute.h"

#include <utility>

namespace foretrain {

/// Evaluates for worker 0 in all strategies. One evaluation at a time.
class Evaluator {
 public:
  explicit Evaluator(const Target& target) : target_(target) {}

  struct Outcome {
    Duration took;
    bool enough = false;  ///< the target is reached
  };

  /// Requests the evaluation of `parameters` (all of them) as the job `id`.
  void begin(Instant now, JobId id, WorkerCompute& worker_compute, const Payload& parameters,
             Effects& effects) {
    start_ = now;
    effects.emplace_back(Compute{worker_compute.evaluation_job(id, parameters)});
  }
  /// The job is done: reports its result for the parameters at `version`, after `step` steps of the
  /// chief; `final` if these are the last parameters.
  Outcome report(Instant now, Step step, Version version, const JobResult& result, bool final,
                 Effects& effects) {
    const Duration took = now - start_;
    effects.emplace_back(Report{
        EvalReport{step, version, start_, took, result.loss, result.accuracy, result.auc, final}});
    return {took, target_.reached(result.loss, result.accuracy)};
  }

 private:
  Target target_;
  Instant start_;
};

}  // namespace foretrain
