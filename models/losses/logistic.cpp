// The loss of a binary label: minus its log-likelihood under a sigmoid.
#include "models/base/check.h"
#include "models/losses/log_product.h"
#include "models/losses/losses.h"
#include "models/tensor/array.h"

#include <algorithm>

namespace foretrain {
namespace {

/// `gradient`: null, or an array as `logits`, possibly the same.
///
/// With t = -s z, the loss is max(t, 0) + log(1 + e), e = exp(-|t|), and its derivative by z is -s
/// sigmoid(t), sigmoid(t) = 1 / (1 + e) if t >= 0, else e / (1 + e): nothing overflows, nothing
/// cancels.
BatchLoss compute(const float* logits, float* gradient, std::int64_t batch,
                  std::span<const std::int32_t> labels) {
  FT_CHECK_OP(static_cast<std::int64_t>(labels.size()), ==, batch);
  BatchLoss loss;
  LogProduct factors;
  const float scale = 1.0F / static_cast<float>(batch);
  for (std::int64_t first = 0; first < batch; first += kLanes) {
    const std::int64_t count = std::min<std::int64_t>(kLanes, batch - first);
    const Lanes z = lanes(logits + first, count, 0);
    Lanes sign = Lanes::Zero();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t label = labels[static_cast<std::size_t>(first + i)];
      FT_CHECK(label == 0 || label == 1);
      sign[i] = label == 1 ? 1.0F : -1.0F;
      loss.correct += (z[i] > 0) == (label == 1) ? 1 : 0;
    }
    const Lanes t = -sign * z;
    const Lanes e = (-t.abs()).exp();
    for (std::int64_t i = 0; i < count; ++i) {
      loss.sum += std::max(static_cast<double>(t[i]), 0.0);
      factors.multiply(1 + static_cast<double>(e[i]));
    }
    if (gradient == nullptr) continue;
    const Lanes share = (t > 0).select(Lanes::Ones(), e) / (1 + e);
    store(-sign * share * scale, gradient + first, count);
  }
  loss.sum += factors.log();
  return loss;
}

}  // namespace

BatchLoss logistic(float* logits, std::int64_t batch, std::span<const std::int32_t> labels) {
  return compute(logits, logits, batch, labels);
}

BatchLoss logistic_loss(const float* logits, std::int64_t batch,
                        std::span<const std::int32_t> labels) {
  return compute(logits, nullptr, batch, labels);
}

}  // namespace foretrain
