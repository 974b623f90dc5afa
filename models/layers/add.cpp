#include "models/layers/add.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"
#include "models/tensor/array.h"

#include <fmt/format.h>

namespace foretrain {
namespace {

int stride_between(Shape shape, Shape other) { return (other.rows + shape.rows - 1) / shape.rows; }

}  // namespace

bool Add::fits(Shape shape, Shape other) {
  const int stride = stride_between(shape, other);
  const auto left = [&](int length) { return (length - 1) / stride + 1; };
  return left(other.rows) == shape.rows && left(other.columns) == shape.columns &&
         other.channels <= shape.channels;
}

Add::Add(Shape shape, Shape other, int layer)
    : shape_(shape), other_(other), layer_(layer), stride_(stride_between(shape, other)) {
  FT_CHECK(fits(shape, other));
  FT_CHECK_OP(layer, >=, 0);
}

std::string Add::name() const {
  return fmt::format("add {}{}", layer_, stride_ > 1 ? fmt::format(" stride {}", stride_) : "");
}

Cost Add::forward_cost(std::int64_t batch) const {
  const std::int64_t units = batch * shape_.size();
  const std::int64_t sums = batch * added();
  return activations_cost(static_cast<double>(sums), 4 * (units + sums), 4 * units);
}

Cost Add::backward_cost(std::int64_t batch, bool input_gradient) const {
  if (!input_gradient) return {};
  const std::int64_t units = batch * shape_.size();
  const std::int64_t sums = batch * added();
  // The gradient by the output, copied twice; then one of the copies added to the gradient of z.
  return activations_cost(static_cast<double>(sums), 4 * (units + 2 * sums),
                          4 * (2 * units + sums));
}

template <class Work>
void Add::for_pixels(std::int64_t example, const Work& work) const {
  std::int64_t to = example * shape_.size();
  for (std::int64_t y = 0; y < shape_.rows; ++y) {
    const std::int64_t row = y * stride_ * other_.columns;
    for (std::int64_t x = 0; x < shape_.columns; ++x, to += shape_.channels) {
      work(to, example * other_.size() + (row + x * stride_) * other_.channels);
    }
  }
}

void Add::forward(const ForwardPass& pass) const {
  if (shape_ == other_) {
    return for_numbers(pass, shape_.size(), [&](std::int64_t first, std::int64_t count) {
      ArrayMap(pass.output + first, count) =
          ConstArrayMap(pass.input + first, count) + ConstArrayMap(pass.other + first, count);
    });
  }
  const std::int64_t size = shape_.size();
  for_examples(*pass.parallel, pass.batch, size,
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 ArrayMap(pass.output + first * size, (last - first) * size) =
                     ConstArrayMap(pass.input + first * size, (last - first) * size);
                 for (std::int64_t example = first; example < last; ++example) {
                   for_pixels(example, [&](std::int64_t to, std::int64_t from) {
                     ArrayMap(pass.output + to, other_.channels) +=
                         ConstArrayMap(pass.other + from, other_.channels);
                   });
                 }
               });
}

void Add::backward(const BackwardPass& pass) const {
  FT_CHECK(pass.input_gradient != nullptr);
  auto* saved = reinterpret_cast<float*>(pass.saved);
  for_numbers(pass, shape_.size(), [&](std::int64_t first, std::int64_t count) {
    const ConstArrayMap gradient(pass.output_gradient + first, count);
    ArrayMap(pass.input_gradient + first, count) = gradient;
    ArrayMap(saved + first, count) = gradient;
  });
}

void Add::add_gradient(const LayerPass& pass, float* gradient) const {
  const auto* saved = reinterpret_cast<const float*>(pass.saved);
  if (shape_ == other_) {
    return for_numbers(pass, shape_.size(), [&](std::int64_t first, std::int64_t count) {
      ArrayMap(gradient + first, count) += ConstArrayMap(saved + first, count);
    });
  }
  for_examples(*pass.parallel, pass.batch, shape_.size(),
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 for (std::int64_t example = first; example < last; ++example) {
                   for_pixels(example, [&](std::int64_t to, std::int64_t from) {
                     ArrayMap(gradient + from, other_.channels) +=
                         ConstArrayMap(saved + to, other_.channels);
                   });
                 }
               });
}

}  // namespace foretrain
