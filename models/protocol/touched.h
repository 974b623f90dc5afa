// How many numbers a gradient has.
#pragma once

#include "models/cost/work.h"
#include "models/protocol/training.h"

#include <cstddef>
#include <cstdint>

namespace foretrain {

/// Parameters of layer `i` whose gradient a batch makes: all; in a sparse first layer those of the
/// features present, in the mean.
std::int64_t touched(const Training& training, std::size_t i);
/// The same of all layers.
std::int64_t touched(const Training& training);
/// Without numerics: how many parameters of `bucket` a batch touches, its share of the mean.
std::int64_t touched_mean(const Training& training, const Bucket& bucket);
/// Without numerics: what a push of `bucket` lists that wants as many as it touches, or all.
Listed listed_mean(const Training& training, const Bucket& bucket, bool all);

}  // namespace foretrain
