#include "models/losses/softmax_cross_entropy.h"

#include "models/base/check.h"
#include "models/losses/log_product.h"
#include "models/tensor/eight.h"

#include <algorithm>
#include <array>
#include <limits>

namespace foretrain {
namespace {

// Up to so many classes a row is too short for vectors: exponentials are taken of many rows at
// once, as if they were one, and the rest number by number.
constexpr int kNarrow = 32;
constexpr std::int64_t kBlock = 1024;  // numbers, for which the narrow case has a buffer

/// The first of the largest is the label's.
bool label_is_first(const float* z, std::int32_t label, float top) {
  return z[label] == top && std::find(z, z + label, top) == z + label;
}

/// Narrow: rows of one block. `kClasses`: known when compiled, or 0.
template <int kClasses>
class NarrowRows {
 public:
  explicit NarrowRows(int classes) : classes_(kClasses > 0 ? kClasses : classes) {}

  /// exp(z - max z) of the rows, into the buffer; what they add to the loss.
  void read(const float* logits, std::int64_t rows, const std::int32_t* labels, LogProduct& totals,
            BatchLoss& loss) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* z = logits + i * classes();
      float top = z[0];
      for (int c = 1; c < classes(); ++c) top = z[c] > top ? z[c] : top;
      float* to = buffer_.data() + i * classes();
      for (int c = 0; c < classes(); ++c) to[c] = z[c] - top;
      loss.sum -= static_cast<double>(z[labels[i]] - top);
      loss.correct += label_is_first(z, labels[i], top) ? 1 : 0;
    }
    const std::int64_t numbers = rows * classes();
    std::fill_n(buffer_.data() + numbers, (8 - numbers % 8) % 8, 0.0F);
    for (std::int64_t i = 0; i < numbers; i += 8) {
      store8(exp8(load8(buffer_.data() + i)), buffer_.data() + i);
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* shares = buffer_.data() + i * classes();
      float total = 0;
      for (int c = 0; c < classes(); ++c) total += shares[c];
      totals_[static_cast<std::size_t>(i)] = total;
      totals.multiply(static_cast<double>(total));
    }
  }

  /// (softmax - onehot) scale, of the rows that were read.
  void write(float* gradient, std::int64_t rows, const std::int32_t* labels, float scale) const {
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* shares = buffer_.data() + i * classes();
      const float factor = scale / totals_[static_cast<std::size_t>(i)];
      float* to = gradient + i * classes();
      for (int c = 0; c < classes(); ++c) to[c] = shares[c] * factor;
      to[labels[i]] -= scale;
    }
  }

 private:
  [[nodiscard]] int classes() const { return kClasses > 0 ? kClasses : classes_; }

  int classes_;
  std::array<float, kBlock + 8> buffer_;
  std::array<float, kBlock> totals_;
};

/// `gradient`: null, or as `logits`, which it may be.
template <int kClasses>
BatchLoss narrow(const float* logits, float* gradient, std::int64_t batch, int classes,
                 const std::int32_t* labels) {
  NarrowRows<kClasses> rows(classes);
  BatchLoss loss;
  LogProduct totals;
  const float scale = 1.0F / static_cast<float>(batch);
  const std::int64_t most = kBlock / classes;
  for (std::int64_t first = 0; first < batch; first += most) {
    const std::int64_t count = std::min(most, batch - first);
    rows.read(logits + first * classes, count, labels + first, totals, loss);
    if (gradient != nullptr) {
      rows.write(gradient + first * classes, count, labels + first, scale);
    }
  }
  loss.sum += totals.log();
  return loss;
}

float largest(const float* z, int classes) {
  Floats8 best = load8(z);
  int c = 8;
  for (; c + 8 <= classes; c += 8) {
    const Floats8 next = load8(z + c);
    best = next > best ? next : best;
  }
  float top = best[0];
  for (int lane = 1; lane < 8; ++lane) top = best[lane] > top ? best[lane] : top;
  for (; c < classes; ++c) top = z[c] > top ? z[c] : top;
  return top;
}

/// The sum of exp(z - top); the terms into `shares` where it is not null.
float exponentials(const float* z, float top, int classes, float* shares) {
  Floats8 total{};
  int c = 0;
  for (; c + 8 <= classes; c += 8) {
    const Floats8 terms = exp8(load8(z + c) - top);
    total += terms;
    if (shares != nullptr) store8(terms, shares + c);
  }
  if (const int left = classes - c; left > 0) {
    Floats8 terms = exp8(load8(z + c, left) - top);
    for (int lane = left; lane < 8; ++lane) terms[lane] = 0;
    total += terms;
    if (shares != nullptr) store8(terms, shares + c, left);
  }
  return sum8(total);
}

BatchLoss wide(const float* logits, float* gradient, std::int64_t batch, int classes,
               const std::int32_t* labels) {
  BatchLoss loss;
  LogProduct totals;
  const float scale = 1.0F / static_cast<float>(batch);
  for (std::int64_t i = 0; i < batch; ++i) {
    const float* z = logits + i * classes;
    const float top = largest(z, classes);
    loss.sum -= static_cast<double>(z[labels[i]] - top);
    loss.correct += label_is_first(z, labels[i], top) ? 1 : 0;
    float* to = gradient == nullptr ? nullptr : gradient + i * classes;
    const float total = exponentials(z, top, classes, to);
    totals.multiply(static_cast<double>(total));
    if (to == nullptr) continue;
    const float factor = scale / total;
    for (int c = 0; c < classes; ++c) to[c] *= factor;
    to[labels[i]] -= scale;
  }
  loss.sum += totals.log();
  return loss;
}

BatchLoss compute(const float* logits, float* gradient, std::int64_t batch, int classes,
                  std::span<const std::int32_t> labels) {
  FT_CHECK_OP(classes, >=, 1);
  FT_CHECK_OP(static_cast<std::int64_t>(labels.size()), ==, batch);
  for (const std::int32_t label : labels) FT_CHECK(label >= 0 && label < classes);
  if (classes == 10) return narrow<10>(logits, gradient, batch, classes, labels.data());
  if (classes <= kNarrow) return narrow<0>(logits, gradient, batch, classes, labels.data());
  return wide(logits, gradient, batch, classes, labels.data());
}

}  // namespace

BatchLoss softmax_cross_entropy(float* logits, std::int64_t batch, int classes,
                                std::span<const std::int32_t> labels) {
  return compute(logits, logits, batch, classes, labels);
}

BatchLoss softmax_cross_entropy_loss(const float* logits, std::int64_t batch, int classes,
                                     std::span<const std::int32_t> labels) {
  return compute(logits, nullptr, batch, classes, labels);
}

}  // namespace foretrain
