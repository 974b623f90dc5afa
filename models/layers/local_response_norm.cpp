#include "models/layers/local_response_norm.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"
#include "models/tensor/eight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretrain {
namespace {

// Terms of so many pixels are written before they are summed: read back at once, from places that
// straddle two stores, they would wait for the stores to reach the cache.
constexpr std::int64_t kPixels = 8;

// How numbers are weighed in a part: a root takes as long as a dozen additions.
constexpr std::int64_t kWorkOfNumber = 4;

struct Powers {
  Floats8 minus_beta;  // s^-beta
  Floats8 inverse;     // 1 / s
};

float power(float s, double exponent) {
  if (!(s > 0.0F) || s > std::numeric_limits<float>::max()) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  return static_cast<float>(portable_exp(exponent * portable_log(static_cast<double>(s))));
}

/// Of s > 0. One division: it takes as long as a root.
Powers powers(Floats8 s, double beta) {
  const Floats8 root = sqrt8(s);
  if (beta == 0.75) {
    const Floats8 fourth = sqrt8(root);
    const Floats8 minus = 1.0F / (root * fourth);
    return {minus, minus * minus * root};
  }
  if (beta == 0.5) {
    const Floats8 minus = 1.0F / root;
    return {minus, minus * minus};
  }
  Floats8 minus{};
  for (int lane = 0; lane < 8; ++lane) minus[lane] = power(s[lane], -beta);
  return {minus, 1.0F / s};
}

/// terms[0] + terms[1] + ... + terms[size - 1], for eight neighbouring starts.
template <int kSize>
Floats8 sum_of(const float* terms, int size) {
  const int count = kSize > 0 ? kSize : size;
  Floats8 sum = load8(terms);
  for (int i = 1; i < count; ++i) sum += load8(terms + i);
  return sum;
}

Floats8 sum_window(const float* terms, int size) {
  if (size == 9) return sum_of<9>(terms, size);
  if (size == 5) return sum_of<5>(terms, size);
  return sum_of<0>(terms, size);
}

Floats8 load_channels(const float* from, std::int64_t left) {
  return left >= 8 ? load8(from) : load8(from, left);
}

void store_channels(Floats8 x, float* to, std::int64_t left) {
  left >= 8 ? store8(x, to) : store8(x, to, left);
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
  return {Flops{static_cast<double>(units) * (1 + size_ + 1 + 3 + 1)},
          Bytes{units * 3 * 4}};  // input, output, s
}

Cost LocalResponseNorm::backward_cost(std::int64_t batch, bool input_gradient) const {
  if (!input_gradient) return {};
  const std::int64_t units = batch * shape_.size();
  // Two powers, the term, the sum, both parts of the gradient.
  return {Flops{static_cast<double>(units) * (6 + 2 + size_ + 4)},
          Bytes{units * 5 * 4}};  // input, output, s, both gradients
}

std::int64_t LocalResponseNorm::pitch() const {
  return (shape_.channels + 7) / 8 * 8 + (size_ - 1 + 7) / 8 * 8;
}

std::int64_t LocalResponseNorm::scratch_of_part() const {
  return (kPixels * pitch() + 15) / 16 * 16;
}

std::int64_t LocalResponseNorm::scratch_floats(std::int64_t batch) const {
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
      const float* x = pass.input + (first + p) * channels;
      float* squares = terms + p * pitch() + before;
      for (std::int64_t c = 0; c < channels; c += 8) {
        const Floats8 number = load_channels(x + c, channels - c);
        store_channels(number * number, squares + c, channels - c);
      }
    }
    for (std::int64_t p = 0; p < count; ++p) {
      const std::int64_t pixel = (first + p) * channels;
      for (std::int64_t c = 0; c < channels; c += 8) {
        const Floats8 s = k + factor * sum_window(terms + p * pitch() + c, size_);
        const Floats8 x = load_channels(pass.input + pixel + c, channels - c);
        store_channels(x * powers(s, beta_).minus_beta, pass.output + pixel + c, channels - c);
        if (scale != nullptr) store_channels(s, scale + pixel + c, channels - c);
      }
    }
  }
}

void LocalResponseNorm::backward_pixels(const BackwardPass& pass, std::int64_t first,
                                        std::int64_t last, float* terms) const {
  const std::int64_t channels = shape_.channels;
  const int before = (size_ - 1) / 2;  // the window of those that see a channel, mirrored
  const auto factor = static_cast<float>(2 * alpha_ * beta_ / size_);
  const auto* scale = reinterpret_cast<const float*>(pass.saved);
  std::fill_n(terms, kPixels * pitch(), 0.0F);
  for (; first < last; first += kPixels) {
    const std::int64_t count = std::min(kPixels, last - first);
    for (std::int64_t p = 0; p < count; ++p) {
      const std::int64_t pixel = (first + p) * channels;
      float* shares = terms + p * pitch() + before;
      for (std::int64_t c = 0; c < channels; c += 8) {
        const std::int64_t left = channels - c;
        const Powers of = powers(load_channels(scale + pixel + c, left), beta_);
        const Floats8 dy = load_channels(pass.output_gradient + pixel + c, left);
        const Floats8 y = load_channels(pass.output + pixel + c, left);
        store_channels(dy * y * of.inverse, shares + c, left);
        store_channels(dy * of.minus_beta, pass.input_gradient + pixel + c, left);
      }
    }
    for (std::int64_t p = 0; p < count; ++p) {
      const std::int64_t pixel = (first + p) * channels;
      for (std::int64_t c = 0; c < channels; c += 8) {
        const std::int64_t left = channels - c;
        const Floats8 sum = sum_window(terms + p * pitch() + c, size_);
        const Floats8 x = load_channels(pass.input + pixel + c, left);
        const Floats8 direct = load_channels(pass.input_gradient + pixel + c, left);
        store_channels(direct - factor * x * sum, pass.input_gradient + pixel + c, left);
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
