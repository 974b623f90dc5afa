#include "models/layers/sparse_dense.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain {

SparseDense::SparseDense(std::int64_t features, int outputs, double entries)
    : features_(features), outputs_(outputs), entries_(entries) {
  FT_CHECK_OP(features, >=, 1);
  FT_CHECK_OP(outputs, >=, 1);
}

std::string SparseDense::name() const {
  return fmt::format("sparse_dense {} -> {}", features_, outputs_);
}

Cost SparseDense::forward_cost(std::int64_t batch) const {
  const double values = static_cast<double>(batch) * entries_;
  const double rows = std::min(values, static_cast<double>(features_));
  Cost cost{Flops{2 * values * outputs_}};
  cost.read.batch = {static_cast<std::int64_t>(2 * 4 * values)};
  cost.read.parameters = {static_cast<std::int64_t>(4 * (rows + 1) * outputs_)};
  cost.written.activations = {4 * batch * outputs_};
  return cost;
}

Cost SparseDense::backward_cost(std::int64_t batch, bool /*input_gradient*/) const {
  Cost cost = forward_cost(batch);
  cost.written.gradients = std::exchange(cost.read.parameters, {});
  cost.read.activations = std::exchange(cost.written.activations, {});
  return cost;
}

std::int64_t SparseDense::rows(const LayerPass& pass) const {
  FT_CHECK(pass.sparse != nullptr);
  FT_CHECK_OP(static_cast<std::int64_t>(pass.sparse->starts.size()), ==, pass.batch + 1);
  return pass.compact ? static_cast<std::int64_t>(pass.sparse->features.size()) : features_;
}

void SparseDense::forward(const ForwardPass& pass) const {
  const std::int64_t bias = rows(pass) * outputs_;
  FT_CHECK_OP(static_cast<std::int64_t>(pass.parameters.size()), ==, bias + outputs_);
  const SparseRows& x = *pass.sparse;
  const float* parameters = pass.parameters.data();
  const auto numbers = static_cast<std::int64_t>(entries_ * outputs_);
  for_examples(*pass.parallel, pass.batch, numbers,
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const auto row = static_cast<std::size_t>(i);
                   float* y = pass.output + i * outputs_;
                   std::copy_n(parameters + bias, outputs_, y);
                   for (std::size_t e = x.starts[row]; e < x.starts[row + 1]; ++e) {
                     const std::uint32_t feature =
                         pass.compact ? x.columns[e] : x.features[x.columns[e]];
                     const float* weights = parameters + std::int64_t{feature} * outputs_;
                     for (int o = 0; o < outputs_; ++o) y[o] += x.values[e] * weights[o];
                   }
                 }
               });
}

void SparseDense::backward(const BackwardPass& pass) const {
  const std::int64_t bias = rows(pass) * outputs_;
  FT_CHECK_OP(static_cast<std::int64_t>(pass.gradient.size()), ==, bias + outputs_);
  const SparseRows& x = *pass.sparse;
  std::ranges::fill(pass.gradient, 0.0F);
  // In one part: examples share features, and a batch has few values.
  float* to = pass.gradient.data();
  for (std::int64_t i = 0; i < pass.batch; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const float* from = pass.output_gradient + i * outputs_;
    for (std::size_t e = x.starts[row]; e < x.starts[row + 1]; ++e) {
      const std::uint32_t feature = pass.compact ? x.columns[e] : x.features[x.columns[e]];
      float* weights = to + std::int64_t{feature} * outputs_;
      for (int o = 0; o < outputs_; ++o) weights[o] += x.values[e] * from[o];
    }
    for (int o = 0; o < outputs_; ++o) to[bias + o] += from[o];
  }
}

}  // namespace foretrain
