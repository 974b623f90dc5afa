// Norms of gradients or parameters, the same bits at any address with any number of threads.
#pragma once

#include "models/base/parallel.h"
#include "models/optimizers/optimizer.h"

#include <span>

namespace foretrain {

/// The sum of x^2, in double. The order of the additions follows from the length alone: at most
/// 256 pieces, each summed in 16 lanes; lanes, then pieces, are added in order. No allocation.
double squared_norm(std::span<const float> x);
/// The same bits, the pieces side by side.
double squared_norm(std::span<const float> x, Parallel& parallel);

/// Scales `gradient`, whose norm (not squared) is `norm`, to the norm `most`, where it is above:
/// g <- g min(1, most / norm) (Pascanu et al. 2013). `most` > 0. A norm that is no number leaves
/// the gradient as it is.
void clip(std::span<float> gradient, double norm, double most);

/// What the L2 penalty adds to the loss: 0.5 x the sum over `blocks` of the decay of their kind x
/// the sum of w^2. `blocks`: places within `parameters`.
double penalty(const OptimizerSpec& spec, std::span<const ParameterBlock> blocks,
               std::span<const float> parameters, Parallel& parallel);

}  // namespace foretrain
