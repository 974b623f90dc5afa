#include "models/layers/profiled.h"

#include "models/base/check.h"

#include <algorithm>
#include <utility>

namespace foretrain {

ProfiledLayer::ProfiledLayer(LayerTimes times, int batch, int second_batch)
    : times_(std::move(times)), batch_(batch), second_batch_(second_batch) {
  FT_CHECK_OP(batch, !=, second_batch);
}

// Without a second batch its time is 0, at 0 examples.
Cost ProfiledLayer::scaled(double measured_s, double second_s, std::int64_t batch) const {
  const auto beyond = static_cast<double>(batch - second_batch_);
  const double time_s = second_s + (measured_s - second_s) * beyond / (batch_ - second_batch_);
  return {.measured = Duration::from_seconds(std::max(0.0, time_s))};
}

Cost ProfiledLayer::forward_cost(std::int64_t batch) const {
  return scaled(times_.forward_s, times_.forward_second_s, batch);
}

Cost ProfiledLayer::backward_cost(std::int64_t batch, bool /*input_gradient*/) const {
  return scaled(times_.backward_s, times_.backward_second_s, batch);
}

void ProfiledLayer::forward(const ForwardPass& /*pass*/) const {
  FT_CHECK(!"a layer that can be carried out");
}

void ProfiledLayer::backward(const BackwardPass& /*pass*/) const {
  FT_CHECK(!"a layer that can be carried out");
}

}  // namespace foretrain
