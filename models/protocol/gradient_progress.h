// The progress of a gradient through its stages.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/step_clock.h"
#include "models/protocol/worker_compute.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {

/// Requests each stage as soon as the values that it needs have arrived, and the first stage of a
/// batch only when the batch before is computed: at most one batch is prepared ahead. Its jobs have
/// the ids `first`, `first` + 1, ... One gradient at a time.
class GradientProgress {
 public:
  GradientProgress(WorkerCompute& worker_compute, StepClock& clock, JobId first)
      : worker_compute_(worker_compute), clock_(clock), first_(first) {}

  /// The step begins; no stage is requested yet. `waits`: the first stage's values are yet to come.
  void begin(Instant now, bool waits = false) {
    clock_.start(now);
    asked_ = computed_ = 0;
    idle_since_ = waits ? std::optional(now) : std::nullopt;
  }
  /// New values may have arrived. `is_here` tells whether those of a bucket, by its index, have
  /// arrived for this gradient.
  template <class IsHere>
  void go_on(Instant now, const Payload& parameters, const IsHere& is_here, Effects& effects) {
    const auto& stages = worker_compute_.stages();
    while (asked_ < stages.size() && std::ranges::all_of(stages[asked_].needs, is_here)) {
      if (stages[asked_].begins_batch() && computed_ < asked_) break;
      if (idle_since_) clock_.stalled(now - *std::exchange(idle_since_, {}));
      const JobId id{static_cast<std::uint64_t>(first_) + asked_};
      effects.emplace_back(Compute{worker_compute_.gradient_job(asked_, id, parameters)});
      ++asked_;
    }
  }
  /// The job of a stage is computed. Returns that stage, whose buckets can be pushed.
  const GradientStage& computed(Instant now, const Computed& computed) {
    const auto number = static_cast<std::size_t>(computed.job) - static_cast<std::size_t>(first_);
    const GradientStage& stage = worker_compute_.stages()[number];
    ++computed_;
    if (!stage.forward.empty()) loss_ = computed.result.loss;
    if (complete()) {
      clock_.computed(now);
    } else if (computed_ == asked_) {
      idle_since_ = now;
    }
    return stage;
  }

  /// The buckets whose values the first stage needs.
  [[nodiscard]] const std::vector<std::uint32_t>& first_needs() const {
    return worker_compute_.stages().front().needs;
  }
  /// The last gradient, with this loss, is complete.
  void restore(double loss) {
    loss_ = loss;
    asked_ = computed_ = worker_compute_.stages().size();
  }

  /// The number of stages that are requested, or computed.
  [[nodiscard]] std::size_t stages_asked() const { return asked_; }
  [[nodiscard]] std::size_t stages_computed() const { return computed_; }
  /// All stages are computed.
  [[nodiscard]] bool complete() const { return computed_ == worker_compute_.stages().size(); }
  [[nodiscard]] double loss() const { return loss_; }

 private:
  WorkerCompute& worker_compute_;
  StepClock& clock_;
  JobId first_;
  std::size_t asked_ = 0;  // stages requested
  std::size_t computed_ = 0;
  std::optional<Instant> idle_since_;  // set while it waits for values of a stage
  double loss_ = 0;
};

}  // namespace foretrain
