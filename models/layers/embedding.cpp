#include "models/layers/embedding.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain {

Embedding::Embedding(std::int64_t features, int fields, int units)
    : features_(features), fields_(fields), units_(units) {
  FT_CHECK_OP(features, >=, 1);
  FT_CHECK_OP(fields, >=, 1);
  FT_CHECK_OP(units, >=, 1);
}

std::string Embedding::name() const {
  return fmt::format("embedding {} -> {} x {}", features_, fields_, units_);
}

Cost Embedding::forward_cost(std::int64_t batch) const {
  const std::int64_t entries = batch * fields_;
  Cost cost{Flops{static_cast<double>(entries * units_)}};
  cost.read.batch = {2 * 4 * entries};
  cost.read.parameters = {4 * std::min(entries, features_) * units_};
  cost.written.activations = {4 * entries * units_};
  return cost;
}

Cost Embedding::backward_cost(std::int64_t batch, bool /*input_gradient*/) const {
  Cost cost = forward_cost(batch);
  cost.flops = cost.flops + cost.flops;  // a product and its sum
  cost.written.gradients = std::exchange(cost.read.parameters, {});
  cost.read.activations = std::exchange(cost.written.activations, {});
  return cost;
}

void Embedding::check_rows(const LayerPass& pass) const {
  FT_CHECK(pass.sparse != nullptr);
  const SparseRows& x = *pass.sparse;
  FT_CHECK_OP(static_cast<std::int64_t>(x.starts.size()), ==, pass.batch + 1);
  FT_CHECK_OP(static_cast<std::int64_t>(x.columns.size()), ==, pass.batch * fields_);
  const auto present = static_cast<std::int64_t>(x.features.size());
  const std::int64_t rows = pass.compact ? present : features_;
  FT_CHECK_OP(static_cast<std::int64_t>(pass.parameters.size()), ==, rows * units_);
}

void Embedding::forward(const ForwardPass& pass) const {
  check_rows(pass);
  const SparseRows& x = *pass.sparse;
  const float* parameters = pass.parameters.data();
  const std::int64_t numbers = std::int64_t{fields_} * units_;
  for_examples(*pass.parallel, pass.batch, numbers,
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first * fields_; i < last * fields_; ++i) {
                   const auto e = static_cast<std::size_t>(i);
                   const std::uint32_t row = pass.compact ? x.columns[e] : x.features[x.columns[e]];
                   const float* vector = parameters + std::int64_t{row} * units_;
                   float* y = pass.output + i * units_;
                   for (int u = 0; u < units_; ++u) y[u] = x.values[e] * vector[u];
                 }
               });
}

void Embedding::backward(const BackwardPass& pass) const {
  check_rows(pass);
  FT_CHECK_OP(pass.gradient.size(), ==, pass.parameters.size());
  const SparseRows& x = *pass.sparse;
  std::ranges::fill(pass.gradient, 0.0F);
  // In one part: examples share features, and a batch has few values.
  float* to = pass.gradient.data();
  for (std::int64_t i = 0; i < pass.batch * fields_; ++i) {
    const auto e = static_cast<std::size_t>(i);
    const std::uint32_t row = pass.compact ? x.columns[e] : x.features[x.columns[e]];
    const float* from = pass.output_gradient + i * units_;
    float* vector = to + std::int64_t{row} * units_;
    for (int u = 0; u < units_; ++u) vector[u] += x.values[e] * from[u];
  }
}

}  // namespace foretrain
