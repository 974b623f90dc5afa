// What the update rules share: rates, checks, loops over blocks that vectorise.
#pragma once

#include "models/optimizers/optimizer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

/// Before a loop whose iterations touch only their own elements: it vectorises though the result
/// may be written over an input, which the compiler cannot tell from an overlap.
#if defined(__clang__)
#define FT_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define FT_ELEMENTWISE _Pragma("GCC ivdep")
#endif

namespace foretrain {

/// Numbers that a rule works on at a time where it needs several loops: so few that the processor
/// waits for the memory of one loop while it divides in another. Adam over 3.3 million parameters
/// takes 2.1 ms with 64, 2.9 ms with 1024 (Zen 3; memory alone takes 1.7 to 2.0 ms).
constexpr std::size_t kElementwiseBlock = 64;
using ElementwiseBlock = std::array<float, kElementwiseBlock>;

/// The factors of one update for one kind of parameter.
struct UpdateRates {
  float rate = 0;   ///< learning_rate x schedule (x biases.rate_factor)
  float decay = 0;  ///< the L2 penalty adds decay x w to the gradient
};
UpdateRates rates_of(const OptimizerSpec& spec, const UpdateContext& context, bool bias);

/// Checks that the arguments of Optimizer::apply are of one length, with `slots` arrays of state.
void check_update(std::span<const float> before, std::span<const float> gradient,
                  std::span<const float> after, std::span<float* const> state, int slots);

/// 2 where an update adds a penalty's gradient (multiply, add), else 0.
double decay_flops(const OptimizerSpec& spec);

/// roots[i] = sqrt(x[i]), rounded correctly on every machine. The plain loop does not vectorise:
/// std::sqrt may have to set errno.
void square_roots(const float* x, std::size_t count, float* roots);

/// Calls body(first, length) for each block of `count` numbers, in order.
template <class Body>
void for_each_block(std::size_t count, Body body) {
  for (std::size_t first = 0; first < count; first += kElementwiseBlock) {
    body(first, std::min(kElementwiseBlock, count - first));
  }
}

}  // namespace foretrain
