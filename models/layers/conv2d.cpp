#include "models/layers/conv2d.h"

#include "models/base/check.h"
#include "models/layers/conv_spread.h"
#include "models/layers/conv_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace foretrain {
namespace {

// With fewer multiply-adds than this, about 30 us, waking a thread does not pay.
constexpr std::int64_t kWorthSplittingConv = 1'500'000;
constexpr int kMostConvParts = 8;
// Images that a part pads, then reads once for each panel: 256 KB, a share of the L2 cache.
constexpr std::ptrdiff_t kGroupFloats = 64 * 1024;
// Images of a group of the backward pass: 4 MB, but enough for a few threads.
constexpr std::ptrdiff_t kBackwardFloats = 1024 * 1024;
constexpr int kLeastGroup = 4;
constexpr std::int64_t kLine = 16;  // floats of a cache line: no two parts write to one

std::int64_t whole_lines(std::int64_t floats) { return (floats + kLine - 1) / kLine * kLine; }

int conv_parts(std::int64_t work, std::int64_t units) {
  return work < kWorthSplittingConv
             ? 1
             : static_cast<int>(std::min<std::int64_t>(units, kMostConvParts));
}

// The common part of a layer's passes: how work is cut, and the layout of the scratch. A place that
// is not needed has size zero. For vectors of `vector` floats.
struct Plan {
  Plan(Shape in, Shape out, const ConvShape& conv, std::int64_t examples, int vector = Simd::kCount)
      : input(in),
        output(out),
        shape(conv),
        batch(examples),
        simd(vector),
        window(conv_window(in, out, conv)),
        beside(beside_window(window, out.channels, vector)) {}

  Shape input;
  Shape output;
  ConvShape shape;
  std::int64_t batch;
  int simd;
  ConvWindow window;
  ConvWindow beside;  // the same, for products by the weights

  [[nodiscard]] std::int64_t work(std::int64_t images) const {
    return images * output.size() * window.depth();
  }
  /// Output in which adjacent pixels are computed as one.
  [[nodiscard]] Shape beside_output() const {
    return {output.rows, beside.out_columns, output.channels * beside.beside};
  }
  [[nodiscard]] int lanes() const { return whole_vectors(beside_output().channels, simd); }
  [[nodiscard]] std::int64_t padded_floats() const {
    return shape.padding > 0 ? whole_lines(window.image_floats()) : 0;
  }

  // Forward: weights, bias, then padded images of each part.
  [[nodiscard]] std::int64_t panel_floats() const {
    return whole_lines(std::int64_t{beside.depth()} * lanes());
  }
  [[nodiscard]] int forward_parts() const { return conv_parts(work(batch), batch); }
  [[nodiscard]] std::int64_t forward_group() const {
    const std::int64_t share = (batch + forward_parts() - 1) / forward_parts();
    return std::clamp<std::int64_t>(kGroupFloats / window.image_floats(), 1, share);
  }
  [[nodiscard]] std::int64_t forward_floats() const {
    return panel_floats() + whole_lines(lanes()) +
           forward_parts() * forward_group() * padded_floats();
  }

  // Backward: weights for the input gradient; for each image of a group its bias gradient, padded
  // input, packed output gradient, padded output gradient; then scratch of `spread_gradient`.
  [[nodiscard]] bool spreads() const {
    if (shape.stride != 1 || shape.padding >= shape.size) return true;
    // Multiply-adds, including empty lanes; the additions take as long as some of them.
    const double taps =
        static_cast<double>(shape.size) * shape.size * whole_vectors(input.channels, simd);
    const double full = static_cast<double>(input.pixels()) * output.channels * taps;
    const double spread =
        static_cast<double>(output.pixels()) *
        (1.3 * shape.size * output.channels * whole_vectors(window.run(), simd) + 8 * taps);
    return spread < full;
  }
  [[nodiscard]] ConvWindow full() const { return full_window(input, output, shape); }
  [[nodiscard]] std::int64_t back_weights_floats() const {
    return whole_lines(
        spreads() ? static_cast<std::int64_t>(spread_weights_floats(window, output.channels, simd))
                  : std::int64_t{full().depth()} * whole_vectors(input.channels, simd));
  }
  [[nodiscard]] std::int64_t gradient_floats() const {
    return whole_lines(beside_output().pixels() * lanes());
  }
  [[nodiscard]] std::int64_t full_floats() const {
    return spreads() ? 0 : whole_lines(full().image_floats());
  }
  [[nodiscard]] std::int64_t bias_floats() const { return whole_lines(lanes()); }
  [[nodiscard]] std::int64_t backward_group() const {
    const std::int64_t image = padded_floats() + gradient_floats() + full_floats();
    return std::min(batch, std::max<std::int64_t>(kLeastGroup, kBackwardFloats / image));
  }
  [[nodiscard]] std::int64_t spread_part_floats() const {
    return spreads() ? whole_lines(static_cast<std::int64_t>(spread_floats(window, simd))) : 0;
  }
  [[nodiscard]] int input_parts() const {
    if (!spreads()) return kMostConvParts;
    return static_cast<int>(
        std::clamp<std::int64_t>(kBackwardFloats / spread_part_floats(), 2, kMostConvParts));
  }
  [[nodiscard]] std::int64_t backward_floats() const {
    return back_weights_floats() +
           backward_group() *
               (bias_floats() + padded_floats() + gradient_floats() + full_floats()) +
           input_parts() * spread_part_floats();
  }
};

class Backward {
 public:
  Backward(const Plan& plan, const BackwardPass& pass, bool relu)
      : plan_(plan), pass_(pass), relu_(relu), spreads_(plan.spreads()) {
    const std::int64_t group = plan.backward_group();
    weights_ = pass.scratch;
    bias_ = weights_ + plan.back_weights_floats();
    padded_ = bias_ + group * plan.bias_floats();
    panels_ = padded_ + group * plan.padded_floats();
    full_ = panels_ + group * plan.gradient_floats();
    spread_ = full_ + group * plan.full_floats();
  }

  void run() {
    if (pass_.input_gradient != nullptr) pack();
    for (std::int64_t first = 0; first < plan_.batch; first += plan_.backward_group()) {
      first_ = first;
      count_ = static_cast<int>(std::min(plan_.backward_group(), plan_.batch - first));
      gate();
      weights();
      if (plan_.shape.bias) biases();
      if (pass_.input_gradient != nullptr) inputs();
    }
  }

 private:
  void pack() {
    const float* weights = pass_.parameters.data();
    if (spreads_) {
      pack_spread_weights(weights, plan_.window, plan_.output.channels, weights_);
    } else {
      pack_flipped_weights(weights, plan_.full(), plan_.input.channels, weights_);
    }
  }

  void gate_one(int image) {
    const std::int64_t at = (first_ + image) * plan_.output.size();
    ConvGradient gate;
    gate.output = relu_ ? pass_.output + at : nullptr;
    gate.gradient = pass_.output_gradient + at;
    gate.panels = panels_ + image * plan_.gradient_floats();
    gate.bias = bias_ + image * plan_.bias_floats();
    if (pass_.input_gradient != nullptr && spreads_) {
      if (relu_) gate.copy = pass_.output_gradient + at;
      gate.copy_row = std::ptrdiff_t{plan_.output.columns} * plan_.output.channels;
    } else if (pass_.input_gradient != nullptr) {
      const ConvWindow full = plan_.full();
      const int padding = plan_.shape.size - 1 - plan_.shape.padding;
      float* image_floats = full_ + image * plan_.full_floats();
      if (padding > 0) std::fill_n(image_floats, full.image_floats(), 0.0F);
      gate.copy = image_floats + padding * (full.row_floats() + full.channels);
      gate.copy_row = full.row_floats();
    }
    gate_image(gate, plan_.beside_output());
    if (plan_.shape.padding > 0) {
      pad_image(pass_.input + (first_ + image) * plan_.input.size(), plan_.input,
                plan_.shape.padding, padded_ + image * plan_.padded_floats());
    }
  }

  // Calls body(part, first image, last image) for at most `most` parts of the group.
  template <class Body>
  void for_images(std::int64_t work, int most, const Body& body) {
    const int parts = conv_parts(work, std::min(count_, most));
    const auto part = [&](int i) { body(i, count_ * i / parts, count_ * (i + 1) / parts); };
    pass_.parallel->run(parts, std::cref(part));
  }

  void gate() {
    // A number takes about as long as 32 multiply-adds.
    for_images(count_ * plan_.output.size() * 32, kMostConvParts,
               [this](int /*part*/, int first, int last) {
                 for (int image = first; image < last; ++image) gate_one(image);
               });
  }

  [[nodiscard]] ConvImages padded() const {
    if (plan_.shape.padding > 0) return {padded_, plan_.padded_floats(), count_};
    return {pass_.input + first_ * plan_.input.size(), plan_.input.size(), count_};
  }

  void weights() {
    const int units = weight_units(plan_.beside, plan_.output.channels);
    const int parts = conv_parts(plan_.work(count_), units);
    const auto part = [&](int i) {
      correlate_weights(plan_.beside, padded(), {panels_, plan_.gradient_floats(), count_},
                        plan_.output.channels, units * i / parts, units * (i + 1) / parts,
                        pass_.add || first_ > 0, pass_.gradient.data());
    };
    pass_.parallel->run(parts, std::cref(part));
  }

  void biases() {
    const int channels = plan_.output.channels;
    float* gradient = pass_.gradient.data() + std::int64_t{plan_.window.depth()} * channels;
    if (!pass_.add && first_ == 0) std::fill_n(gradient, channels, 0.0F);
    for (int image = 0; image < count_; ++image) {
      const float* own = bias_ + image * plan_.bias_floats();
      for (int pixel = 0; pixel < plan_.beside.beside; ++pixel, own += channels) {
        for (int c = 0; c < channels; ++c) gradient[c] += own[c];
      }
    }
  }

  void inputs() {
    for_images(plan_.work(count_), plan_.input_parts(), [this](int part, int first, int last) {
      float* dst = pass_.input_gradient + (first_ + first) * plan_.input.size();
      if (!spreads_) {
        correlate(plan_.full(),
                  {full_ + first * plan_.full_floats(), plan_.full_floats(), last - first},
                  weights_, plan_.input.channels, nullptr, false, dst);
        return;
      }
      for (int image = first; image < last; ++image, dst += plan_.input.size()) {
        spread_gradient(plan_.window,
                        pass_.output_gradient + (first_ + image) * plan_.output.size(),
                        plan_.output.channels, weights_, plan_.input,
                        spread_ + part * plan_.spread_part_floats(), dst);
      }
    });
  }

  const Plan plan_;
  const BackwardPass& pass_;
  const bool relu_;
  const bool spreads_;
  std::int64_t first_ = 0;  // first image of the group in the batch
  int count_ = 0;           // images of the group
  float* weights_;
  float* bias_;
  float* padded_;
  float* panels_;
  float* full_;
  float* spread_;
};

}  // namespace

Conv2d::Conv2d(Shape input, const ConvShape& shape, bool relu)
    : input_(input), shape_(shape), relu_(relu) {
  FT_CHECK_OP(shape.channels, >, 0);
  FT_CHECK_OP(shape.size, >, 0);
  FT_CHECK_OP(shape.stride, >, 0);
  FT_CHECK_OP(shape.padding, >=, 0);
  FT_CHECK_OP(shape.size, <=, std::min(input.rows, input.columns) + 2 * shape.padding);
  output_ = {(input.rows + 2 * shape.padding - shape.size) / shape.stride + 1,
             (input.columns + 2 * shape.padding - shape.size) / shape.stride + 1, shape.channels};
}

std::string Conv2d::name() const {
  std::string name = fmt::format("conv {}@{}x{}", shape_.channels, shape_.size, shape_.size);
  if (shape_.stride != 1) name += fmt::format(" stride {}", shape_.stride);
  if (shape_.padding != 0) name += fmt::format(" pad {}", shape_.padding);
  if (!shape_.bias) name += " no bias";
  return relu_ ? name + " + relu" : name;
}

std::int64_t Conv2d::weights() const { return fans().in * shape_.channels; }

Fans Conv2d::fans() const {
  const std::int64_t window = std::int64_t{shape_.size} * shape_.size;
  return {window * input_.channels, window * shape_.channels};
}

Cost Conv2d::forward_cost(std::int64_t batch) const {
  const double products = static_cast<double>(batch) * static_cast<double>(output_.pixels()) *
                          static_cast<double>(weights());
  Cost cost = activations_cost(2 * products, 4 * batch * input_.size(), 4 * batch * output_.size());
  cost.read.parameters = {4 * parameters()};
  return cost;
}

Cost Conv2d::backward_cost(std::int64_t batch, bool input_gradient) const {
  return product_backward_cost(forward_cost(batch), input_gradient);
}

std::int64_t Conv2d::scratch_floats(std::int64_t batch, int simd) const {
  const Plan plan(input_, output_, shape_, batch, simd);
  return std::max(plan.forward_floats(), plan.backward_floats());
}

std::int64_t Conv2d::forward_scratch_floats(std::int64_t batch, int simd) const {
  return Plan(input_, output_, shape_, batch, simd).forward_floats();
}

void Conv2d::forward(const ForwardPass& pass) const {
  FT_CHECK_OP(static_cast<std::int64_t>(pass.parameters.size()), ==, parameters());
  const Plan plan(input_, output_, shape_, pass.batch);
  float* panels = pass.scratch;
  float* padded = panels + plan.panel_floats() + plan.bias_floats();
  float* bias = shape_.bias ? panels + plan.panel_floats() : nullptr;
  pack_weights(pass.parameters.data(), plan.beside, shape_.channels, panels);
  if (shape_.bias) {
    pack_biases(pass.parameters.data() + weights(), plan.beside, shape_.channels, bias);
  }
  const int parts = plan.forward_parts();
  const auto part = [&](int i) {
    const std::int64_t group = plan.forward_group();
    float* own = padded + i * group * plan.padded_floats();
    const std::int64_t last = plan.batch * (i + 1) / parts;
    for (std::int64_t first = plan.batch * i / parts; first < last; first += group) {
      const auto count = static_cast<int>(std::min(group, last - first));
      const float* input = pass.input + first * input_.size();
      ConvImages images{input, input_.size(), count};
      if (shape_.padding > 0) {
        images = {own, plan.padded_floats(), count};
        for (int image = 0; image < count; ++image) {
          pad_image(input + image * input_.size(), input_, shape_.padding,
                    own + image * plan.padded_floats());
        }
      }
      correlate(plan.beside, images, panels, shape_.channels, bias, relu_,
                pass.output + first * output_.size());
    }
  };
  pass.parallel->run(parts, std::cref(part));
}

void Conv2d::backward(const BackwardPass& pass) const {
  FT_CHECK_OP(static_cast<std::int64_t>(pass.gradient.size()), ==, parameters());
  Backward(Plan(input_, output_, shape_, pass.batch), pass, relu_).run();
}

}  // namespace foretrain
