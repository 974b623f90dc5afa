// How many numbers a gradient has.
#pragma once

#include "models/protocol/training.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace foretrain {

/// Parameters of layer `i` whose gradient a batch makes: all; in a sparse first layer those of the
/// features present, in the mean.
inline std::int64_t touched(const Training& training, std::size_t i) {
  const Network& network = *training.network;
  const std::int64_t own = network.layers()[i]->parameters();
  if (!training.sparse() || i > 0) return own;
  const std::int64_t others = network.parameters() - own;
  return std::clamp<std::int64_t>(std::llround(training.touched_mean) - others, 0, own);
}

/// The same of all layers.
inline std::int64_t touched(const Training& training) {
  const std::int64_t others =
      training.network->parameters() - training.network->layers().front()->parameters();
  return touched(training, 0) + others;
}

}  // namespace foretrain
