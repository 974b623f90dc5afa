#include "models/layers/flatten.h"

#include <algorithm>

namespace foretrain {

Cost Flatten::forward_cost(std::int64_t /*batch*/) const { return {}; }

Cost Flatten::backward_cost(std::int64_t /*batch*/, bool /*input_gradient*/) const { return {}; }

void Flatten::forward(const ForwardPass& pass) const {
  std::copy_n(pass.input, pass.batch * size_, pass.output);
}

void Flatten::backward(const BackwardPass& pass) const {
  if (pass.input_gradient == nullptr) return;
  std::copy_n(pass.output_gradient, pass.batch * size_, pass.input_gradient);
}

}  // namespace foretrain
