#include "models/layers/dense.h"

#include "models/base/check.h"
#include "models/tensor/array.h"
#include "models/tensor/product.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

/// The gradient of a fused ReLU and of the bias under it: gradient[r][c] = 0 if output[r][c] <= 0
/// (never if `output` is null), for r < rows, and bias_gradient[c] = sum over r of gradient[r][c]
/// in order. Both are [rows][channels].
void gate_gradient(const float* output, std::int64_t rows, int channels, float* gradient,
                   float* bias_gradient) {
  ArrayMap sum(bias_gradient, channels);
  sum.setZero();
  for (std::int64_t r = 0; r < rows; ++r) {
    ArrayMap row(gradient + r * channels, channels);
    if (output != nullptr) row = gated(row, ConstArrayMap(output + r * channels, channels));
    sum += row;
  }
}

// y: [batch][outputs] = x W + b.
Product forward_product(const LayerPass& pass, int inputs, int outputs) {
  Product p;
  p.rows = static_cast<int>(pass.batch);
  p.depth = inputs;
  p.lanes = outputs;
  p.a = pass.input;
  p.a_step = inputs;
  p.b = pass.parameters.data();
  p.b_step = outputs;
  p.c_step = outputs;
  return p;
}

// dx: [batch][inputs] = dy W^T.
Product backward_product(const LayerPass& pass, int inputs, int outputs) {
  Product p;
  p.rows = static_cast<int>(pass.batch);
  p.depth = outputs;
  p.lanes = inputs;
  p.a_step = outputs;
  p.b = pass.parameters.data();
  p.b_step = outputs;
  p.b_transposed = true;
  p.c_step = inputs;
  return p;
}

// dW: [inputs][outputs] = x^T dy.
OuterProduct weight_product(const LayerPass& pass, int inputs, int outputs) {
  OuterProduct p;
  p.rows = static_cast<int>(pass.batch);
  p.depth = inputs;
  p.lanes = outputs;
  p.a = pass.input;
  return p;
}

}  // namespace

Dense::Dense(int inputs, int outputs, bool relu) : inputs_(inputs), outputs_(outputs), relu_(relu) {
  FT_CHECK_OP(inputs, >, 0);
  FT_CHECK_OP(outputs, >, 0);
}

std::string Dense::name() const {
  return fmt::format("dense {} -> {}{}", inputs_, outputs_, relu_ ? " + relu" : "");
}

Cost Dense::forward_cost(std::int64_t batch) const {
  Cost cost = activations_cost(2.0 * static_cast<double>(batch) * static_cast<double>(weights()),
                               4 * batch * inputs_, 4 * batch * outputs_);
  cost.read.parameters = {4 * parameters()};
  return cost;
}

Cost Dense::backward_cost(std::int64_t batch, bool input_gradient) const {
  return product_backward_cost(forward_cost(batch), input_gradient);
}

std::int64_t Dense::scratch_floats(std::int64_t batch, int simd) const {
  LayerPass pass;
  pass.batch = batch;
  const std::size_t most =
      std::max({multiply_scratch(forward_product(pass, inputs_, outputs_), simd),
                multiply_scratch(backward_product(pass, inputs_, outputs_), simd),
                multiply_outer_scratch(weight_product(pass, inputs_, outputs_), simd)});
  return static_cast<std::int64_t>(most);
}

std::int64_t Dense::forward_scratch_floats(std::int64_t batch, int simd) const {
  LayerPass pass;
  pass.batch = batch;
  return static_cast<std::int64_t>(
      multiply_scratch(forward_product(pass, inputs_, outputs_), simd));
}

void Dense::forward(const ForwardPass& pass) const {
  FT_CHECK_OP(static_cast<std::int64_t>(pass.parameters.size()), ==, parameters());
  FT_CHECK(pass.input != nullptr);
  Product product = forward_product(pass, inputs_, outputs_);
  product.c = pass.output;
  product.bias = pass.parameters.data() + weights();
  product.relu = relu_;
  multiply(product, *pass.parallel, pass.scratch);
}

void Dense::backward(const BackwardPass& pass) const {
  FT_CHECK_OP(static_cast<std::int64_t>(pass.gradient.size()), ==, parameters());
  gate_gradient(relu_ ? pass.output : nullptr, pass.batch, outputs_, pass.output_gradient,
                pass.gradient.data() + weights());
  OuterProduct outer = weight_product(pass, inputs_, outputs_);
  outer.b = pass.output_gradient;
  outer.c = pass.gradient.data();
  multiply_outer(outer, *pass.parallel, pass.scratch);
  if (pass.input_gradient == nullptr) return;
  Product product = backward_product(pass, inputs_, outputs_);
  product.a = pass.output_gradient;
  product.c = pass.input_gradient;
  multiply(product, *pass.parallel, pass.scratch);
}

}  // namespace foretrain
