// The initial values of weights.
#pragma once

#include "models/base/random.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// The number of inputs that a unit adds up, and of units that an input feeds.
struct Fans {
  std::int64_t in = 1;
  std::int64_t out = 1;
};

/// The distribution of a layer's initial parameters.
///
///     he      N(0, 2 / fan_in)                         He et al. 2015, eq. 10
///     glorot  U(-a, a), a = sqrt(6 / (fan_in + fan_out))   Glorot & Bengio 2010, eq. 16
///     normal  N(0, deviation^2); truncated: drawn again beyond two deviations
///     zero    0
struct Initializer {
  std::string kind = "he";
  double deviation = 0.01;  ///< normal
  bool truncated = false;   ///< normal
  double bias = 0;          ///< initial value of every bias

  bool operator==(const Initializer&) const = default;
};

std::vector<std::string> initializer_names();
/// Fills `weights` from `stream`. Portable: the same bits everywhere.
void draw_weights(const Initializer& initializer, Fans fans, Stream& stream,
                  std::span<float> weights);

}  // namespace foretrain
