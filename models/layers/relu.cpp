#include "models/layers/relu.h"

#include "models/layers/example_parts.h"
#include "models/tensor/array.h"

namespace foretrain {

Cost Relu::forward_cost(std::int64_t batch) const {
  const std::int64_t units = batch * shape_.size();
  return activations_cost(static_cast<double>(units), 4 * units, 4 * units);
}

Cost Relu::backward_cost(std::int64_t batch, bool input_gradient) const {
  if (!input_gradient) return {};
  const std::int64_t units = batch * shape_.size();
  // Output, the gradient by it; the gradient by the input.
  return activations_cost(static_cast<double>(units), 2 * 4 * units, 4 * units);
}

void Relu::forward(const ForwardPass& pass) const {
  for_numbers(pass, shape_.size(), [&](std::int64_t first, std::int64_t count) {
    ArrayMap(pass.output + first, count) = ConstArrayMap(pass.input + first, count).max(0.0F);
  });
}

void Relu::backward(const BackwardPass& pass) const {
  if (pass.input_gradient == nullptr) return;
  for_numbers(pass, shape_.size(), [&](std::int64_t first, std::int64_t count) {
    ArrayMap(pass.input_gradient + first, count) =
        gated(ConstArrayMap(pass.output_gradient + first, count),
              ConstArrayMap(pass.output + first, count));
  });
}

}  // namespace foretrain
