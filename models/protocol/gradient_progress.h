// A gradient on its way through its stages.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/step_clock.h"
#include "models/protocol/worker_compute.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace foretrain {

/// Asks for each stage as soon as the values that it needs are here, for the first of a batch once
/// the batch before is computed: no more than one is prepared ahead. Its jobs have the ids `first`,
/// `first` + 1, ... One gradient at a time.
class GradientProgress {
 public:
  GradientProgress(WorkerCompute& worker_compute, StepClock& clock, JobId first)
      : worker_compute_(worker_compute), clock_(clock), first_(first) {}

  /// The step begins; no stage is asked for yet. `waits`: the values of the first one are to come.
  void begin(Instant now, bool waits = false);
  /// New values may have come. `is_here`: those of a bucket have, for this gradient.
  void go_on(Instant now, const Payload& parameters,
             const std::function<bool(std::uint32_t bucket)>& is_here, Effects& effects);
  /// The job of a stage is computed: which stage. Its buckets can be pushed.
  const GradientStage& computed(Instant now, const Computed& computed);

  /// The values that the first stage needs.
  [[nodiscard]] const std::vector<std::uint32_t>& first_needs() const {
    return worker_compute_.stages().front().needs;
  }
  /// The gradient that was computed last, of this loss, is complete.
  void restore(double loss) {
    loss_ = loss;
    asked_ = computed_ = worker_compute_.stages().size();
  }

  /// So many stages are asked for, computed.
  [[nodiscard]] std::size_t stages_asked() const { return asked_; }
  [[nodiscard]] std::size_t stages_computed() const { return computed_; }
  /// All stages are computed.
  [[nodiscard]] bool complete() const { return computed_ == worker_compute_.stages().size(); }
  [[nodiscard]] double loss() const { return loss_; }

 private:
  WorkerCompute& worker_compute_;
  StepClock& clock_;
  JobId first_;
  std::size_t asked_ = 0;  // stages
  std::size_t computed_ = 0;
  std::optional<Instant> idle_since_;  // while it waits for values of a stage
  double loss_ = 0;
};

}  // namespace foretrain
