// The loss of a classification: minus the log-likelihood of the label under a softmax.
#include "models/base/check.h"
#include "models/losses/log_product.h"
#include "models/losses/losses.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <limits>

namespace foretrain {
namespace {

// Up to this many classes a row is too short for registers: lanes are examples instead.
constexpr int kNarrow = 32;

struct Rows {
  const float* logits;  // [batch][classes]
  float* gradient;      // null, or an array as `logits`, possibly the same
  std::int64_t batch;
  int classes;
  const std::int32_t* labels;
};

/// Adds the label's term to the loss; `top` is the largest of its example's logits `z`.
void add_label(const float* z, std::int32_t label, float top, BatchLoss& loss) {
  loss.sum -= static_cast<double>(z[label] - top);
  const bool first_of_largest = z[label] == top && std::find(z, z + label, top) == z + label;
  loss.correct += first_of_largest ? 1 : 0;
}

BatchLoss narrow(const Rows& rows) {
  using RowMajor = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  BatchLoss loss;
  LogProduct totals;
  const float scale = 1.0F / static_cast<float>(rows.batch);
  Eigen::Array<float, kLanes, kNarrow> block = Eigen::Array<float, kLanes, kNarrow>::Zero();
  auto shares = block.leftCols(rows.classes);  // [class][example]
  for (std::int64_t first = 0; first < rows.batch; first += kLanes) {
    const std::int64_t count = std::min<std::int64_t>(kLanes, rows.batch - first);
    const float* z = rows.logits + first * rows.classes;
    const std::int32_t* labels = rows.labels + first;
    shares.topRows(count) = Eigen::Map<const RowMajor>(z, count, rows.classes);
    Lanes top = shares.col(0);
    for (int c = 1; c < rows.classes; ++c) top = top.max(shares.col(c));
    Lanes total = Lanes::Zero();
    for (int c = 0; c < rows.classes; ++c) {
      shares.col(c) = (shares.col(c) - top).exp();
      total += shares.col(c);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      add_label(z + i * rows.classes, labels[i], top[i], loss);
      totals.multiply(static_cast<double>(total[i]));
    }
    if (rows.gradient == nullptr) continue;
    const Lanes factor = scale / total;
    for (int c = 0; c < rows.classes; ++c) shares.col(c) *= factor;
    for (std::int64_t i = 0; i < count; ++i) shares(i, labels[i]) -= scale;
    Eigen::Map<RowMajor>(rows.gradient + first * rows.classes, count, rows.classes) =
        shares.topRows(count);
  }
  loss.sum += totals.log();
  return loss;
}

// Lanes beyond the end of a row are minus infinity, whose exponential adds nothing.
constexpr float kNothing = -std::numeric_limits<float>::infinity();

float largest(const float* z, int classes) {
  Lanes top = lanes(z, classes, kNothing);
  for (int c = kLanes; c < classes; c += kLanes) top = top.max(lanes(z + c, classes - c, kNothing));
  return top.maxCoeff();
}

/// Returns the sum of exp(z - top); stores the terms in `shares` unless it is null.
float exponentials(const float* z, float top, int classes, float* shares) {
  Lanes total = Lanes::Zero();
  for (int c = 0; c < classes; c += kLanes) {
    const Lanes terms = (lanes(z + c, classes - c, kNothing) - top).exp();
    total += terms;
    if (shares != nullptr) store(terms, shares + c, classes - c);
  }
  return total.sum();
}

BatchLoss wide(const Rows& rows) {
  BatchLoss loss;
  LogProduct totals;
  const float scale = 1.0F / static_cast<float>(rows.batch);
  for (std::int64_t i = 0; i < rows.batch; ++i) {
    const float* z = rows.logits + i * rows.classes;
    float* shares = rows.gradient == nullptr ? nullptr : rows.gradient + i * rows.classes;
    const float top = largest(z, rows.classes);
    add_label(z, rows.labels[i], top, loss);
    const float total = exponentials(z, top, rows.classes, shares);
    totals.multiply(static_cast<double>(total));
    if (shares == nullptr) continue;
    ArrayMap(shares, rows.classes) *= scale / total;
    shares[rows.labels[i]] -= scale;
  }
  loss.sum += totals.log();
  return loss;
}

BatchLoss compute(const float* logits, float* gradient, std::int64_t batch, int classes,
                  std::span<const std::int32_t> labels) {
  FT_CHECK_OP(classes, >=, 1);
  FT_CHECK_OP(static_cast<std::int64_t>(labels.size()), ==, batch);
  for (const std::int32_t label : labels) FT_CHECK(label >= 0 && label < classes);
  const Rows rows{logits, gradient, batch, classes, labels.data()};
  return classes <= kNarrow ? narrow(rows) : wide(rows);
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
