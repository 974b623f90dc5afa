#include "models/protocol/gradient_progress.h"

#include <algorithm>
#include <utility>

namespace foretrain {

void GradientProgress::begin(Instant now, bool waits) {
  clock_.start(now);
  asked_ = 0;
  computed_ = 0;
  idle_since_.reset();
  if (waits) idle_since_ = now;
}

void GradientProgress::go_on(Instant now, const Payload& parameters,
                             const std::function<bool(std::uint32_t bucket)>& is_here,
                             Effects& effects) {
  const auto& stages = worker_compute_.stages();
  while (asked_ < stages.size() && std::ranges::all_of(stages[asked_].needs, is_here)) {
    if (stages[asked_].begins_batch() && computed_ < asked_) break;
    if (idle_since_) clock_.stalled(now - *std::exchange(idle_since_, {}));
    const JobId id{static_cast<std::uint64_t>(first_) + asked_};
    effects.emplace_back(Compute{worker_compute_.gradient_job(asked_, id, parameters)});
    ++asked_;
  }
}

const GradientStage& GradientProgress::computed(Instant now, const Computed& computed) {
  const auto& stages = worker_compute_.stages();
  const auto number = static_cast<std::size_t>(computed.job) - static_cast<std::size_t>(first_);
  ++computed_;
  if (!stages[number].forward.empty()) loss_ = computed.result.loss;
  if (complete()) {
    clock_.computed(now);
  } else if (computed_ == asked_) {
    idle_since_ = now;
  }
  return stages[number];
}

}  // namespace foretrain
