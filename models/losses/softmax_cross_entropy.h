// The loss of a classification: minus the log-likelihood of the label under a softmax.
#pragma once

#include "models/tensor/matrix.h"

#include <cstdint>
#include <span>

namespace foretrain {

/// What a batch of logits is worth.
struct BatchLoss {
  double sum = 0;            ///< of -log softmax(z)[label], nats
  std::int64_t correct = 0;  ///< rows whose largest logit is the label's, the first of equals
};

/// `logits`: [batch, classes]; `labels`: [batch]. Turns the logits into the gradient of the *mean*
/// loss by them, (softmax(z) - onehot(label)) / batch.
BatchLoss softmax_cross_entropy(Matrix& logits, std::span<const std::uint8_t> labels);

/// The loss alone.
BatchLoss softmax_cross_entropy_loss(const Matrix& logits, std::span<const std::uint8_t> labels);

}  // namespace foretrain
