// The loss of a classification: minus the log-likelihood of the label under a softmax.
#pragma once

#include "models/losses/loss.h"

#include <cstdint>
#include <span>

namespace foretrain {

/// -log softmax(z)[label] summed over the batch, softmax(z)[c] = exp(z[c]) / sum of exp(z).
///
/// `logits`: [batch][classes]; `labels`: [batch], each 0 .. classes - 1. Turns the logits into the
/// gradient of the *mean* loss by them, (softmax(z) - onehot(label)) / batch. NaN among the logits
/// makes the loss NaN. Allocates nothing; sums depend on `classes` alone, not on addresses.
BatchLoss softmax_cross_entropy(float* logits, std::int64_t batch, int classes,
                                std::span<const std::int32_t> labels);

/// The loss alone, the same bits.
BatchLoss softmax_cross_entropy_loss(const float* logits, std::int64_t batch, int classes,
                                     std::span<const std::int32_t> labels);

}  // namespace foretrain
