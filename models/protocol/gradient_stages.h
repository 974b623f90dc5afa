// A gradient cut where buckets become ready to be pushed.
#pragma once

#include "models/base/cost.h"
#include "models/protocol/training.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foretrain {

/// A job of a gradient: the backward pass of layers [first, last), the first stage with the forward
/// pass before it. After it `buckets` are complete.
struct GradientStage {
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<std::uint32_t> buckets;
  Cost cost;
  double share = 1;  ///< of the whole gradient, by the nominal core
};

/// The stages of a gradient in order. Backpropagation begins at the last layer, so the buckets of
/// the last layers can be on their way while the others are computed. No stage is so small that it
/// would run on the event loop, before the one that it follows. One stage, where
/// `Training::overlap` is off, where nothing travels, where the gradient is clipped (its norm is
/// known when all of it is), and for a sparse model, whose one layer is all there is.
std::vector<GradientStage> gradient_stages(const Training& training);

}  // namespace foretrain
