#include "models/layers/local_response_norm.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"
#include "models/tensor/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretrain {
namespace {

// The terms of this many pixels are written before they are summed: a sum read at once, from places
// that straddle two stores, would wait until the stores reach the cache.
constexpr std::int64_t kPixels = 8;

// The weight of numbers in the size of parts: a root takes as long as a dozen additions.
constexpr std::int64_t kWorkOfNumber = 4;

struct Powers {
  Lanes minus_beta;  // s^-beta
  Lanes inverse;     // 1 / s
};

float power(float s, double exponent) {
  if (!(s > 0.0F) || s > std::numeric_limits<float>::max()) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  return static_cast<float>(portable_exp(exponent * portable_log(static_cast<double>(s))));
}

/// The powers of s > 0. One division: it takes as long as a root.
Powers powers(const Lanes& s, double beta) {
  const Lanes half = root(s);
  if (beta == 0.75) {
    const Lanes minus = 1 / (half * root(half));
    return {minus, minus * minus * half};
  }
  if (beta == 0.5) {
    const Lanes minus = 1 / half;
    return {minus, minus * minus};
  }
  return {s.unaryExpr([beta](float x) { return power(x, -beta); }), 1 / s};
}

/// terms[0] + terms[1] + ... + terms[size - 1], for adjacent starts. `kSize`: size, or 0.
template <int kSize>
Lanes sum_of(const float* terms, int size) {
  const int count = kSize > 0 ? kSize : size;
  Lanes sum = lanes(terms);
  for (int i = 1; i < count; ++i) sum += lanes(terms + i);
  return sum;
}

Lanes sum_window(const float* terms, int size) {
  return size == 9   ? sum_of<9>(terms, size)
         : size == 5 ? sum_of<5>(terms, size)
                     : sum_of<0>(terms, size);
}

}  // namespace

LocalResponseNorm::LocalResponseNorm(Shape shape, int size, double alpha, double beta, double k)
    : shape_(shape), size_(size), alpha_(alpha), beta_(beta), k_(k) {
  FT_CHECK_OP(size, >=, 1);
  FT_CHECK_OP(alpha, >=, 0.0);
  FT_CHECK_OP(k, >, 0.0);
}

std::string LocalResponseNorm::name() const { return fmt::format("lrn {}", size_); }

Cost LocalResponseNorm::forward_cost(std::int64_t batch) const {
  const std::int64_t units = batch * shape_.size();
  // A square, the sum, its scaling, two roots with a product, the division.
  const double operations = static_cast<double>(units) * (1 + size_ + 1 + 3 + 1);
  return activations_cost(operations, 4 * units, 2 * 4 * units);  // writes output, s
}

Cost LocalResponseNorm::backward_cost(std::int64_t batch, bool input_gradient) const {
  if (!input_gradient) return {};
  const std::int64_t units = batch * shape_.size();
  // Two powers, the term, the sum, both parts of the gradient.
  const double operations = static_cast<double>(units) * (6 + 2 + size_ + 4);
  // Reads input, output, s, the gradient by the output.
  return activations_cost(operations, 4 * 4 * units, 4 * units);
}

std::int64_t LocalResponseNorm::pitch() const {
  return (shape_.channels + size_ - 1 + 2 * kLanes - 1) / kLanes * kLanes;
}

std::int64_t LocalResponseNorm::scratch_of_part() const {
  return (kPixels * pitch() + 15) / 16 * 16;
}

std::int64_t LocalResponseNorm::scratch_floats(std::int64_t batch, int /*simd*/) const {
  return example_parts(batch, shape_.size() * kWorkOfNumber) * scratch_of_part();
}

void LocalResponseNorm::forward_pixels(const ForwardPass& pass, std::int64_t first,
                                       std::int64_t last, float* terms, float* scale) const {
  const std::int64_t channels = shape_.channels;
  const int before = size_ / 2;
  const auto factor = static_cast<float>(alpha_ / size_);
  const auto k = static_cast<float>(k_);
  std::fill_n(terms, kPixels * pitch(), 0.0F);
  for (; first < last; first += kPixels) {
    const std::int64_t count = std::min(kPixels, last - first);
    for (std::int64_t p = 0; p < count; ++p) {
      ArrayMap(terms + p * pitch() + before, channels) =
          ConstArrayMap(pass.input + (first + p) * channels, channels).square();
    }
    for (std::int64_t p = 0; p < count; ++p) {
      for (std::int64_t c = 0; c < channels; c += kLanes) {
        const std::int64_t at = (first + p) * channels + c;
        const std::int64_t left = channels - c;
        const Lanes s = k + factor * sum_window(terms + p * pitch() + c, size_);
        store(lanes(pass.input + at, left, 0) * powers(s, beta_).minus_beta, pass.output + at,
              left);
        if (scale != nullptr) store(s, scale + at, left);
      }
    }
  }
}

void LocalResponseNorm::backward_pixels(const BackwardPass& pass, std::int64_t first,
                                        std::int64_t last, float* terms) const {
  const std::int64_t channels = shape_.channels;
  const int before = (size_ - 1) / 2;  // the mirrored window: the outputs that use a channel
  const auto factor = static_cast<float>(2 * alpha_ * beta_ / size_);
  const auto* scale = reinterpret_cast<const float*>(pass.saved);
  std::fill_n(terms, kPixels * pitch(), 0.0F);
  for (; first < last; first += kPixels) {
    const std::int64_t count = std::min(kPixels, last - first);
    for (std::int64_t p = 0; p < count; ++p) {
      for (std::int64_t c = 0; c < channels; c += kLanes) {
        const std::int64_t at = (first + p) * channels + c;
        const std::int64_t left = channels - c;
        const Powers of = powers(lanes(scale + at, left, 1), beta_);
        const Lanes dy = lanes(pass.output_gradient + at, left, 0);
        const Lanes y = lanes(pass.output + at, left, 0);
        store(dy * y * of.inverse, terms + p * pitch() + before + c, left);
        store(dy * of.minus_beta, pass.input_gradient + at, left);
      }
    }
    for (std::int64_t p = 0; p < count; ++p) {
      for (std::int64_t c = 0; c < channels; c += kLanes) {
        const std::int64_t at = (first + p) * channels + c;
        const std::int64_t left = channels - c;
        const Lanes sum = sum_window(terms + p * pitch() + c, size_);
        const Lanes x = lanes(pass.input + at, left, 0);
        const Lanes direct = lanes(pass.input_gradient + at, left, 0);
        store(direct - factor * x * sum, pass.input_gradient + at, left);
      }
    }
  }
}

void LocalResponseNorm::forward(const ForwardPass& pass) const {
  float* scale = pass.dropout == nullptr ? nullptr : reinterpret_cast<float*>(pass.saved);
  const std::int64_t pixels = shape_.pixels();
  for_examples(*pass.parallel, pass.batch, shape_.size() * kWorkOfNumber,
               [&](int part, std::int64_t first, std::int64_t last) {
                 forward_pixels(pass, first * pixels, last * pixels,
                                pass.scratch + part * scratch_of_part(), scale);
               });
}

void LocalResponseNorm::backward(const BackwardPass& pass) const {
  if (pass.input_gradient == nullptr) return;
  const std::int64_t pixels = shape_.pixels();
  for_examples(*pass.parallel, pass.batch, shape_.size() * kWorkOfNumber,
               [&](int part, std::int64_t first, std::int64_t last) {
                 backward_pixels(pass, first * pixels, last * pixels,
                                 pass.scratch + part * scratch_of_part());
               });
}

}  // namespace foretrain
