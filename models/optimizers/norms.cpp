#include "models/optimizers/norms.h"

#include "models/base/check.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace foretrain {
namespace {

constexpr std::size_t kPiecesMost = 256;
constexpr std::size_t kPieceLeast = 4096;
/// Additions in flight, enough to keep up with memory.
constexpr std::size_t kLanes = 16;

double sum_of_squares(const float* x, std::size_t count) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double value = x[i + lane];
      lanes[lane] += value * value;  // the product is exact
    }
  }
  for (std::size_t lane = 0; i < count; ++i, ++lane) {
    const double value = x[i];
    lanes[lane] += value * value;
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

struct Pieces {
  explicit Pieces(std::span<const float> all) : x(all) {
    const std::size_t blocks = (all.size() + kPieceLeast - 1) / kPieceLeast;
    length = kPieceLeast * std::max<std::size_t>(1, (blocks + kPiecesMost - 1) / kPiecesMost);
    count = (all.size() + length - 1) / length;
  }

  void add_up(std::size_t piece) {
    const std::size_t first = piece * length;
    sums[piece] = sum_of_squares(x.data() + first, std::min(length, x.size() - first));
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
  // One reference: the function fits into std::function without an allocation.
  parallel.run(static_cast<int>(pieces.count),
               [&pieces](int piece) { pieces.add_up(static_cast<std::size_t>(piece)); });
  double sum = 0;
  for (std::size_t i = 0; i < pieces.count; ++i) sum += pieces.sums[i];
  return sum;
}

void clip(std::span<float> gradient, double norm, double most) {
  FT_CHECK_OP(most, >, 0.0);
  if (!(norm > most)) return;
  const auto scale = static_cast<float>(most / norm);
  for (float& value : gradient) value *= scale;
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
