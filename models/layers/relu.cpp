#include "models/layers/relu.h"

#include "models/layers/example_parts.h"

namespace foretrain {

Cost Relu::forward_cost(std::int64_t batch) const {
  const std::int64_t units = batch * shape_.size();
  return {Flops{static_cast<double>(units)}, Bytes{units * 2 * 4}};  // input, output
}

Cost Relu::backward_cost(std::int64_t batch, bool input_gradient) const {
  if (!input_gradient) return {};
  const std::int64_t units = batch * shape_.size();
  return {Flops{static_cast<double>(units)}, Bytes{units * 3 * 4}};  // output, both gradients
}

void Relu::forward(const ForwardPass& pass) const {
  const std::int64_t size = shape_.size();
  for_examples(*pass.parallel, pass.batch, size,
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 const float* __restrict__ input = pass.input;
                 float* __restrict__ output = pass.output;
                 for (std::int64_t i = first * size; i < last * size; ++i) {
                   output[i] = input[i] < 0.0F ? 0.0F : input[i];
                 }
               });
}

void Relu::backward(const BackwardPass& pass) const {
  if (pass.input_gradient == nullptr) return;
  const std::int64_t size = shape_.size();
  for_examples(*pass.parallel, pass.batch, size,
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 const float* __restrict__ output = pass.output;
                 const float* __restrict__ from = pass.output_gradient;
                 float* __restrict__ to = pass.input_gradient;
                 for (std::int64_t i = first * size; i < last * size; ++i) {
                   to[i] = output[i] > 0.0F ? from[i] : 0.0F;
                 }
               });
}

}  // namespace foretrain
