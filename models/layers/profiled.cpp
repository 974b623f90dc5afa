#include "models/layers/profiled.h"

#include "models/base/check.h"

#include <utility>

namespace foretrain {

ProfiledLayer::ProfiledLayer(LayerTimes times, int batch)
    : times_(std::move(times)), batch_(batch) {
  FT_CHECK_OP(batch, >, 0);
}

Cost ProfiledLayer::scaled(double measured_s, std::int64_t batch) const {
  const double time_s = measured_s * static_cast<double>(batch) / batch_;
  return {.measured = Duration::from_seconds(time_s)};
}

Cost ProfiledLayer::forward_cost(std::int64_t batch) const {
  return scaled(times_.forward_s, batch);
}

Cost ProfiledLayer::backward_cost(std::int64_t batch, bool /*input_gradient*/) const {
  return scaled(times_.backward_s, batch);
}

void ProfiledLayer::forward(const ForwardPass& /*pass*/) const {
  FT_CHECK(!"a layer that can be carried out");
}

void ProfiledLayer::backward(const BackwardPass& /*pass*/) const {
  FT_CHECK(!"a layer that can be carried out");
}

}  // namespace foretrain
