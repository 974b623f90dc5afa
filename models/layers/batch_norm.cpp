#include "models/layers/batch_norm.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"
#include "models/tensor/array.h"

#include <fmt/format.h>

#include <cmath>

namespace foretrain {
namespace {

constexpr std::int64_t kSums = 2;  // most sums of each channel

/// Sums of a part, then those of its current example.
constexpr std::int64_t sums_of_part(std::int64_t channels) { return 2 * kSums * channels; }

}  // namespace

BatchNorm::BatchNorm(Shape shape, double epsilon, double momentum)
    : shape_(shape),
      epsilon_(static_cast<float>(epsilon)),
      momentum_(static_cast<float>(momentum)) {
  FT_CHECK_OP(epsilon, >, 0);
}

std::string BatchNorm::name() const { return fmt::format("batch_norm {}", shape_.channels); }

Cost BatchNorm::forward_cost(std::int64_t batch) const {
  const std::int64_t numbers = batch * shape_.size();
  // A sum; a deviation, its square, their sum; a deviation, scaled, shifted.
  Cost cost = activations_cost(7.0 * static_cast<double>(numbers), 3 * 4 * numbers, 4 * numbers);
  cost.read.parameters = {4 * parameters()};
  return cost;
}

Cost BatchNorm::backward_cost(std::int64_t batch, bool input_gradient) const {
  const std::int64_t numbers = batch * shape_.size();
  // Two sums, of gradients and of their products with deviations; then two differences, two
  // products.
  const double operations = input_gradient ? 9 : 4;
  Cost cost =
      activations_cost(operations * static_cast<double>(numbers),
                       (input_gradient ? 4 : 2) * 4 * numbers, input_gradient ? 4 * numbers : 0);
  cost.read.parameters = {input_gradient ? 4 * weights() : 0};
  cost.written.gradients = {4 * parameters()};
  return cost;
}

std::int64_t BatchNorm::scratch_floats(std::int64_t batch, int /*simd*/) const {
  const std::int64_t channels = shape_.channels;
  return example_parts(batch, shape_.size()) * sums_of_part(channels) + kSums * channels;
}

template <class AddTo>
void BatchNorm::sum_pixels(const LayerPass& pass, float* sums, const AddTo& add) const {
  const std::int64_t channels = shape_.channels;
  for_examples(*pass.parallel, pass.batch, shape_.size(),
               [&](int part, std::int64_t first, std::int64_t last) {
                 float* of_part = pass.scratch + part * sums_of_part(channels);
                 float* of_example = of_part + kSums * channels;
                 ArrayMap all(of_part, kSums * channels);
                 ArrayMap one(of_example, kSums * channels);
                 ArrayMap a(of_example, channels);
                 ArrayMap b(of_example + channels, channels);
                 all.setZero();
                 for (std::int64_t example = first; example < last; ++example) {
                   one.setZero();
                   const std::int64_t end = (example + 1) * shape_.size();
                   for (std::int64_t at = example * shape_.size(); at < end; at += channels) {
                     add(at, a, b);
                   }
                   all += one;
                 }
               });
  ArrayMap total(sums, kSums * channels);
  total.setZero();
  const int parts = example_parts(pass.batch, shape_.size());
  for (int part = 0; part < parts; ++part) {
    total += ConstArrayMap(pass.scratch + part * sums_of_part(channels), kSums * channels);
  }
}

template <class Work>
void BatchNorm::for_each_pixel(const LayerPass& pass, const Work& work) const {
  for_numbers(pass, shape_.size(), [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t at = first; at < first + count; at += shape_.channels) work(at);
  });
}

void BatchNorm::take_statistics(const ForwardPass& pass, float* saved) const {
  const std::int64_t channels = shape_.channels;
  const auto count = static_cast<float>(pass.batch * shape_.pixels());
  float* sums = pass.scratch + example_parts(pass.batch, shape_.size()) * sums_of_part(channels);
  const auto pixel = [&](std::int64_t at) { return ConstArrayMap(pass.input + at, channels); };
  sum_pixels(pass, sums,
             [&](std::int64_t at, ArrayMap& sum, ArrayMap& /*unused*/) { sum += pixel(at); });
  ArrayMap mean(saved, channels);
  mean = ConstArrayMap(sums, channels) / count;
  sum_pixels(pass, sums, [&](std::int64_t at, ArrayMap& sum, ArrayMap& /*unused*/) {
    sum += (pixel(at) - mean) * (pixel(at) - mean);
  });
  const ConstArrayMap squares(sums, channels);
  ArrayMap(saved + channels, channels) = 1.0F / root(squares / count + epsilon_);
  ArrayMap running_mean(pass.statistics, channels);
  ArrayMap running_variance(pass.statistics + channels, channels);
  running_mean += momentum_ * (mean - running_mean);
  const float others = count > 1 ? count - 1 : 1;  // for a single number the variance is 0
  running_variance += momentum_ * (squares / others - running_variance);
}

void BatchNorm::forward(const ForwardPass& pass) const {
  FT_CHECK(pass.statistics != nullptr);
  const std::int64_t channels = shape_.channels;
  const bool trains = pass.dropout != nullptr;
  auto* saved = reinterpret_cast<float*>(pass.saved);
  if (trains) take_statistics(pass, saved);
  // The scratch is reused: its sums are no longer needed.
  ArrayMap scale(pass.scratch, channels);
  if (trains) {
    scale = ConstArrayMap(saved + channels, channels);
  } else {
    scale = 1.0F / root(ConstArrayMap(pass.statistics + channels, channels) + epsilon_);
  }
  scale *= ConstArrayMap(pass.parameters.data(), channels);
  const ConstArrayMap mean(trains ? saved : pass.statistics, channels);
  const ConstArrayMap shift(pass.parameters.data() + weights(), channels);
  for_each_pixel(pass, [&](std::int64_t at) {
    ArrayMap(pass.output + at, channels) =
        (ConstArrayMap(pass.input + at, channels) - mean) * scale + shift;
  });
}

// With d = x - mean, n numbers of a channel, r = 1 / sqrt(variance + epsilon):
//   by gamma   r sum(dy d)
//   by beta    sum(dy)
//   by x       gamma r (dy - sum(dy) / n - d r^2 sum(dy d) / n)
void BatchNorm::backward(const BackwardPass& pass) const {
  const std::int64_t channels = shape_.channels;
  const auto count = static_cast<float>(pass.batch * shape_.pixels());
  const auto* saved = reinterpret_cast<const float*>(pass.saved);
  const ConstArrayMap mean(saved, channels);
  const ConstArrayMap inverse(saved + channels, channels);
  const auto deviation = [&](std::int64_t at) {
    return ConstArrayMap(pass.input + at, channels) - mean;
  };
  float* sums = pass.scratch + example_parts(pass.batch, shape_.size()) * sums_of_part(channels);
  sum_pixels(pass, sums, [&](std::int64_t at, ArrayMap& gradients, ArrayMap& products) {
    const ConstArrayMap gradient(pass.output_gradient + at, channels);
    gradients += gradient;
    products += gradient * deviation(at);
  });
  const ConstArrayMap gradients(sums, channels);
  const ConstArrayMap products(sums + channels, channels);
  ArrayMap(pass.gradient.data(), channels) = inverse * products;
  ArrayMap(pass.gradient.data() + weights(), channels) = gradients;
  if (pass.input_gradient == nullptr) return;
  // The scratch is reused, as above, for values common to all pixels of a channel.
  ArrayMap scale(pass.scratch, channels);
  ArrayMap mean_gradient(pass.scratch + channels, channels);
  ArrayMap slope(pass.scratch + 2 * channels, channels);
  scale = ConstArrayMap(pass.parameters.data(), channels) * inverse;
  mean_gradient = gradients / count;
  slope = inverse * inverse * products / count;
  for_each_pixel(pass, [&](std::int64_t at) {
    ArrayMap(pass.input_gradient + at, channels) =
        scale * (ConstArrayMap(pass.output_gradient + at, channels) - mean_gradient -
                 deviation(at) * slope);
  });
}

}  // namespace foretrain
