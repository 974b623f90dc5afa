#include "models/losses/softmax_cross_entropy.h"

#include "models/base/check.h"
#include "models/base/random.h"

namespace foretrain {
namespace {

// exp(z - max z) into `shares`, and what the row adds to the loss.
template <class Row>
float shifted_exponentials(const Row& logits, std::uint8_t label, Vector& shares, BatchLoss& loss) {
  Eigen::Index best = 0;
  const float top = logits.maxCoeff(&best);
  const float margin = logits[label] - top;
  shares = (logits.array() - top).exp();
  const float total = shares.sum();
  loss.sum += portable_log(static_cast<double>(total)) - static_cast<double>(margin);
  loss.correct += best == label ? 1 : 0;
  return total;
}

}  // namespace

BatchLoss softmax_cross_entropy(Matrix& logits, std::span<const std::uint8_t> labels) {
  FT_CHECK_OP(logits.rows(), ==, static_cast<Eigen::Index>(labels.size()));
  BatchLoss loss;
  Vector shares(logits.cols());
  const float scale = 1.0F / static_cast<float>(logits.rows());
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    const auto label = labels[static_cast<std::size_t>(i)];
    const float total = shifted_exponentials(logits.row(i), label, shares, loss);
    logits.row(i) = shares * (scale / total);
    logits(i, label) -= scale;
  }
  return loss;
}

BatchLoss softmax_cross_entropy_loss(const Matrix& logits, std::span<const std::uint8_t> labels) {
  FT_CHECK_OP(logits.rows(), ==, static_cast<Eigen::Index>(labels.size()));
  BatchLoss loss;
  Vector shares(logits.cols());
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    shifted_exponentials(logits.row(i), labels[static_cast<std::size_t>(i)], shares, loss);
  }
  return loss;
}

}  // namespace foretrain
