#include "models/optimizers/norms.h"

#include "models/base/check.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace foretrain {
namespace {

constexpr std::size_t kPiecesMost = 256;
constexpr std::size_t kPieceLeast = 4096;

// 16 additions run in parallel, enough to keep up with memory; each product is exact.
double sum_of_squares(std::span<const float> x) {
  Eigen::Array<double, kLanes, 1> sums = Eigen::Array<double, kLanes, 1>::Zero();
  const auto add = [&](const auto& block) { sums += block.template cast<double>().square(); };
  for (; std::ssize(x) >= kLanes; x = x.subspan(kLanes)) add(lanes(x.data()));
  add(lanes(x.data(), std::ssize(x), 0));
  return sums.sum();
}

struct Pieces {
  explicit Pieces(std::span<const float> all) : x(all) {
    const std::size_t blocks = (all.size() + kPieceLeast - 1) / kPieceLeast;
    length = kPieceLeast * std::max<std::size_t>(1, (blocks + kPiecesMost - 1) / kPiecesMost);
    count = (all.size() + length - 1) / length;
  }

  void add_up(std::size_t piece) {
    const std::size_t first = piece * length;
    sums[piece] = sum_of_squares(x.subspan(first, std::min(length, x.size() - first)));
  }

  std::span<const float> x;
  std::size_t length = 0;
  std::size_t count = 0;
  std::array<double, kPiecesMost> sums;
};

}  // namespace

double squared_norm(std::span<const float> x) {
  Serial serial;
  return squared_norm(x, serial);
}

double squared_norm(std::span<const float> x, Parallel& parallel) {
  Pieces pieces(x);
  // It captures one reference, so it fits into std::function without an allocation.
  parallel.run(static_cast<int>(pieces.count),
               [&pieces](int piece) { pieces.add_up(static_cast<std::size_t>(piece)); });
  double sum = 0;
  for (std::size_t i = 0; i < pieces.count; ++i) sum += pieces.sums[i];
  return sum;
}

void clip(std::span<float> gradient, double norm, double most) {
  FT_CHECK_OP(most, >, 0.0);
  if (!(norm > most)) return;
  array(gradient) *= static_cast<float>(most / norm);
}

double penalty(const OptimizerSpec& spec, std::span<const ParameterBlock> blocks,
               std::span<const float> parameters, Parallel& parallel) {
  double sum = 0;
  for (const ParameterBlock& block : blocks) {
    const double decay = block.bias ? spec.biases.weight_decay : spec.weight_decay;
    if (decay == 0) continue;
    FT_CHECK_OP(block.first + block.count, <=, static_cast<std::int64_t>(parameters.size()));
    const auto values = parameters.subspan(static_cast<std::size_t>(block.first),
                                           static_cast<std::size_t>(block.count));
    sum += decay * squared_norm(values, parallel);
  }
  return 0.5 * sum;
}

}  // namespace foretrain
