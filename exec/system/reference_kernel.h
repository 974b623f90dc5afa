// A fixed piece of compute that tells how fast a machine's cores are at this moment.
#pragma once

#include <vector>

namespace foretrain::exec {

/// Seconds of the reference kernel on `cores`, all of them at once, mean. Two cores of a virtual
/// machine may be halves of one for a while, which one alone does not show.
///
/// On each: products of matrices in its first cache, sums over vectors in its second, as gradients
/// and updates are. About fifteen milliseconds, a third of which is told, by its quiet pieces: the
/// tenth percentile of all. Threads of its own, pinned.
///
/// It stands for a training that would tell the same in a second: over 54 rounds on 2 cores of an
/// AMD EPYC (Zen 4) VM, by the median of 80 pieces, logarithms of a median step correlated with it
/// by 0.79 (softmax alone), 0.72 (lenet alone), 0.61 (two workers of sync, on both cores at once);
/// with 40 steps of softmax alone by 0.76, 0.40, 0.26.
double time_reference(const std::vector<int>& cores);

}  // namespace foretrain::exec
