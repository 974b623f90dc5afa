// The number of parameters that a gradient touches.
#pragma once

#include "models/cost/work.h"
#include "models/protocol/training.h"

#include <cstddef>
#include <cstdint>

namespace foretrain {

/// Parameters of layer `i` that the gradient of a batch has: all; in a sparse first layer the mean
/// number for the features present.
std::int64_t touched(const Training& training, std::size_t i);
/// The same for all layers.
std::int64_t touched(const Training& training);
/// Without numerics: the parameters of `bucket` that a batch touches, as its share of the mean.
std::int64_t touched_mean(const Training& training, const Bucket& bucket);
/// Without numerics: the counts in a push of `bucket` that wants as many as it touches, or all.
Listed listed_mean(const Training& training, const Bucket& bucket, bool all);

}  // namespace foretrain
