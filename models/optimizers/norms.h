// Norms of gradients or parameters with the same bits at any address, for any number of threads.
#pragma once

#include "models/base/parallel.h"
#include "models/optimizers/optimizer.h"

#include <span>

namespace foretrain {

/// The sum of x^2, in double. The order of the additions follows from the length alone: at most
/// 256 pieces, each summed in 16 lanes; lanes, then pieces, are added in order. No allocation.
double squared_norm(std::span<const float> x);
/// The same bits, with the pieces in parallel.
double squared_norm(std::span<const float> x, Parallel& parallel);

/// Scales `gradient`, whose norm (not squared) is `norm`, to the norm `most` if it is larger: g <-
/// g min(1, most / norm) (Pascanu et al. 2013). `most` > 0. A NaN norm leaves the gradient
/// unchanged.
void clip(std::span<float> gradient, double norm, double most);

/// The term of the L2 penalty in the loss: 0.5 x the sum over `blocks` of their kind's decay times
/// the sum of w^2. `blocks`: places within `parameters`.
double penalty(const OptimizerSpec& spec, std::span<const ParameterBlock> blocks,
               std::span<const float> parameters, Parallel& parallel);

}  // namespace foretrain
