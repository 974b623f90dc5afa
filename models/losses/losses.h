// Losses of a network's outputs, with the area under the ROC curve.
#pragma once

#include <cstdint>
#include <span>

namespace foretrain {

/// The loss of the logits of a batch. A network reports sum / batch, and its gradient is that of
/// this mean.
struct BatchLoss {
  double sum = 0;            ///< of minus the log-likelihood of the label, nats
  std::int64_t correct = 0;  ///< examples whose likeliest class is their label, the first of equals
};

/// -log softmax(z)[label] summed over the batch, softmax(z)[c] = exp(z[c]) / sum of exp(z).
///
/// `logits`: [batch][classes]; `labels`: [batch], each 0 .. classes - 1. Replaces the logits by the
/// gradient of the *mean* loss by them, (softmax(z) - onehot(label)) / batch. NaN among the logits
/// makes the loss NaN. Does not allocate; sums depend on `classes` alone, not on addresses.
BatchLoss softmax_cross_entropy(float* logits, std::int64_t batch, int classes,
                                std::span<const std::int32_t> labels);

/// The loss without the gradient, with the same bits.
BatchLoss softmax_cross_entropy_loss(const float* logits, std::int64_t batch, int classes,
                                     std::span<const std::int32_t> labels);

/// log(1 + exp(-s z)) summed over the batch, s = 1 for label 1, -1 for label 0.
///
/// `logits`: [batch]; `labels`: [batch], each 0 or 1. Replaces the logits by the gradient of the
/// *mean* loss by them, (sigmoid(z) - label) / batch. Class 1 is more likely if z > 0. NaN among
/// the logits makes the loss NaN. Does not allocate; sums do not depend on addresses.
BatchLoss logistic(float* logits, std::int64_t batch, std::span<const std::int32_t> labels);

/// The loss without the gradient, with the same bits.
BatchLoss logistic_loss(const float* logits, std::int64_t batch,
                        std::span<const std::int32_t> labels);

/// The area under the receiver operating characteristic: the probability that an example of label 1
/// scores above one of label 0, equal scores counted half (Mann & Whitney 1947: U / (n1 n0), from
/// ranks). NaN if a class is missing or a score is NaN. `labels`: one for each score, 0 or 1.
double area_under_roc(std::span<const float> scores, std::span<const std::int32_t> labels);

}  // namespace foretrain
