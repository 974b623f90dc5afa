#include "models/losses/logistic.h"

#include "models/base/check.h"
#include "models/losses/log_product.h"
#include "models/tensor/eight.h"

#include <algorithm>

namespace foretrain {
namespace {

/// `gradient`: null, or as `logits`, which it may be.
///
/// With t = -s z, the loss is max(t, 0) + log(1 + e), e = exp(-|t|), and its derivative by z is
/// -s sigmoid(t), sigmoid(t) = 1 / (1 + e) where t >= 0, e / (1 + e) elsewhere: nothing overflows,
/// nothing cancels.
BatchLoss compute(const float* logits, float* gradient, std::int64_t batch,
                  std::span<const std::int32_t> labels) {
  FT_CHECK_OP(static_cast<std::int64_t>(labels.size()), ==, batch);
  BatchLoss loss;
  LogProduct factors;
  const float scale = 1.0F / static_cast<float>(batch);
  for (std::int64_t first = 0; first < batch; first += 8) {
    const auto count = static_cast<int>(std::min<std::int64_t>(8, batch - first));
    const Floats8 z = load8(logits + first, count);
    Floats8 sign{};
    for (int lane = 0; lane < count; ++lane) {
      const std::int32_t label = labels[static_cast<std::size_t>(first + lane)];
      FT_CHECK(label == 0 || label == 1);
      sign[lane] = label == 1 ? 1.0F : -1.0F;
      loss.correct += (z[lane] > 0) == (label == 1) ? 1 : 0;
    }
    const Floats8 t = -(sign * z);
    const Floats8 e = exp8(t > 0.0F ? -t : t);
    for (int lane = 0; lane < count; ++lane) {
      loss.sum += t[lane] > 0 ? static_cast<double>(t[lane]) : 0.0;
      factors.multiply(1 + static_cast<double>(e[lane]));
    }
    if (gradient != nullptr) {
      const Floats8 share = (t > 0.0F ? 1.0F + Floats8{} : e) / (1.0F + e);
      store8(-(sign * share) * scale, gradient + first, count);
    }
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
