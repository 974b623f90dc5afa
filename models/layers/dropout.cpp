#include "models/layers/dropout.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"
#include "models/tensor/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace foretrain {
namespace {

void draw_kept(Stream& shared, std::uint32_t threshold, std::int64_t units, std::uint8_t* kept) {
  Stream stream = shared;  // a copy, because a written byte could alias the stream
  std::int64_t i = 0;
  for (; i + 1 < units; i += 2) {
    const std::uint64_t bits = stream.bits();
    kept[i] = static_cast<std::uint32_t>(bits) >= threshold ? 1 : 0;
    kept[i + 1] = static_cast<std::uint32_t>(bits >> 32) >= threshold ? 1 : 0;
  }
  if (i < units) kept[i] = static_cast<std::uint32_t>(stream.bits()) >= threshold ? 1 : 0;
  shared = stream;
}

/// to = from * scale if kept, else 0 (even if `from` is infinite).
void keep(const float* from, const std::uint8_t* kept, float scale, std::int64_t count, float* to) {
  using Mask = Eigen::Map<const Eigen::Array<std::uint8_t, Eigen::Dynamic, 1>>;
  ArrayMap(to, count) = (Mask(kept, count) != 0).select(ConstArrayMap(from, count) * scale, 0.0F);
}

}  // namespace

Dropout::Dropout(Shape shape, double rate)
    : shape_(shape),
      rate_(rate),
      scale_(static_cast<float>(1 / (1 - rate))),
      threshold_(static_cast<std::uint32_t>(std::min(std::floor(rate * 0x1p32), 0x1p32 - 1))) {
  FT_CHECK_OP(rate, >=, 0.0);
  FT_CHECK_OP(rate, <, 1.0);
}

std::string Dropout::name() const { return fmt::format("dropout {}", rate_); }

Cost Dropout::forward_cost(std::int64_t batch) const {
  const std::int64_t units = batch * shape_.size();
  // A comparison, a product; output, mask.
  return activations_cost(2.0 * static_cast<double>(units), 4 * units, (4 + 1) * units);
}

Cost Dropout::backward_cost(std::int64_t batch, bool input_gradient) const {
  if (!input_gradient) return {};
  const std::int64_t units = batch * shape_.size();
  return activations_cost(static_cast<double>(units), (4 + 1) * units, 4 * units);
}

void Dropout::forward(const ForwardPass& pass) const {
  const std::int64_t size = shape_.size();
  if (pass.dropout == nullptr) {
    std::copy_n(pass.input, pass.batch * size, pass.output);
    return;
  }
  auto* kept = reinterpret_cast<std::uint8_t*>(pass.saved);
  draw_kept(*pass.dropout, threshold_, pass.batch * size, kept);
  for_numbers(pass, size, [&](std::int64_t first, std::int64_t count) {
    keep(pass.input + first, kept + first, scale_, count, pass.output + first);
  });
}

void Dropout::backward(const BackwardPass& pass) const {
  if (pass.input_gradient == nullptr) return;
  const auto* kept = reinterpret_cast<const std::uint8_t*>(pass.saved);
  for_numbers(pass, shape_.size(), [&](std::int64_t first, std::int64_t count) {
    keep(pass.output_gradient + first, kept + first, scale_, count, pass.input_gradient + first);
  });
}

}  // namespace foretrain
