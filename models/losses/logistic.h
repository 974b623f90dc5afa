// The loss of a yes or no: minus the log-likelihood of the label under a sigmoid.
#pragma once

#include "models/losses/loss.h"

#include <cstdint>
#include <span>

namespace foretrain {

/// log(1 + exp(-s z)) summed over the batch, s = 1 for label 1, -1 for label 0.
///
/// `logits`: [batch]; `labels`: [batch], each 0 or 1. Turns the logits into the gradient of the
/// *mean* loss by them, (sigmoid(z) - label) / batch. Class 1 is likelier where z > 0. NaN among
/// the logits makes the loss NaN. Allocates nothing; sums do not depend on addresses.
BatchLoss logistic(float* logits, std::int64_t batch, std::span<const std::int32_t> labels);

/// The loss alone, the same bits.
BatchLoss logistic_loss(const float* logits, std::int64_t batch,
                        std::span<const std::int32_t> labels);

}  // namespace foretrain
