// A fixed computation that measures the present speed of a machine's cores.
#pragma once

#include <vector>

namespace foretrain::exec {

/// Mean seconds of the reference kernel on `cores`, running on all of them at once. Two cores of a
/// virtual machine may be hyperthreads of one core for a while, which one core alone does not show.
///
/// Each core multiplies matrices in its first-level cache and adds vectors in its second-level
/// cache, as gradients and updates do. It takes about fifteen milliseconds; the result is a third
/// of that, from the tenth percentile of its pieces, the undisturbed ones. Uses its own, pinned
/// threads.
///
/// It replaces a training, which would need a second: over 54 rounds on 2 cores of an AMD EPYC (Zen
/// 4) VM the logarithm of the median of 80 pieces correlated with that of the median step by 0.79
/// (softmax alone), 0.72 (lenet alone), 0.61 (two workers of sync, on both cores at once); for 40
/// steps of softmax alone the correlations were 0.76, 0.40, 0.26.
double time_reference(const std::vector<int>& cores);

}  // namespace foretrain::exec
