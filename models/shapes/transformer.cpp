#include "models/shapes/transformer.h"

#include <fmt/format.h>

namespace foretrain {
namespace {

/// Counts the layers of one shape for one batch.
class Count {
 public:
  Count(const TransformerShape& shape, const WorkOptions& options)
      : shape_(shape),
        options_(options),
        width_(static_cast<double>(shape.width)),
        sequence_(static_cast<double>(shape.tokens(options.sequence))),
        tokens_(static_cast<double>(options.batch) * sequence_) {}

  [[nodiscard]] LayerWork embedding() const {
    LayerWork layer{.layer = "embedding"};
    const bool image = shape_.image_size > 0;
    if (image) {
      const std::int64_t pixels = std::int64_t{3} * shape_.patch_size * shape_.patch_size;
      add_matrix(layer, pixels, shape_.width, true);
      const double patches = tokens_ - static_cast<double>(options_.batch);
      layer.multiply(patches, width_, static_cast<double>(pixels));
      add_tensor(layer, shape_.width);  // the class token
    } else {
      add_tensor(layer, shape_.vocabulary * shape_.width);
    }
    if (shape_.learned_positions) add_tensor(layer, positions() * shape_.width);
    if (shape_.token_types > 0) {
      add_tensor(layer, shape_.token_types * shape_.width);
      add_norm(layer);
    }
    layer.moved += numbers(2 * width_);
    layer.kept += shape_.token_types > 0 ? numbers(width_) : 0;
    layer.kernels += 2;
    return layer;
  }

  [[nodiscard]] LayerWork block(int index) const {
    LayerWork layer{.layer = fmt::format("block{}", index + 1), .recomputable = true};
    const auto inner = static_cast<double>(shape_.inner);
    const std::int64_t kv = shape_.width / shape_.heads * shape_.kv_heads;
    const double read = width_ + 2 * static_cast<double>(kv);  // queries, keys, values
    const bool biased = shape_.biases || shape_.attention_biases;
    add_matrix(layer, shape_.width, shape_.width, biased);
    add_matrix(layer, shape_.width, kv, biased);
    add_matrix(layer, shape_.width, kv, biased);
    add_matrix(layer, shape_.width, shape_.width, shape_.biases);
    add_matrix(layer, shape_.width, shape_.inner, shape_.biases);
    if (shape_.gated) add_matrix(layer, shape_.width, shape_.inner, shape_.biases);
    add_matrix(layer, shape_.inner, shape_.width, shape_.biases);
    add_norm(layer);
    add_norm(layer);

    layer.multiply(tokens_, read, width_);
    layer.multiply(tokens_, width_, width_);
    layer.multiply(tokens_, shape_.gated ? 2 * inner : inner, width_);
    layer.multiply(tokens_, width_, inner);
    // Two norms and two additions to the residual stream; the activation.
    layer.moved += numbers(10 * width_ + (shape_.gated ? 5 : 2) * inner);
    layer.kernels += shape_.gated ? 8 : 6;
    add_attention(layer);

    layer.kept_input = numbers(width_);
    layer.kept_products += numbers(3 * width_ + read + (shape_.gated ? 2 : 1) * inner);
    layer.kept += numbers(5 * width_ + read + (shape_.gated ? 4 : 2) * inner);
    return layer;
  }

  [[nodiscard]] LayerWork head() const {
    LayerWork layer{.layer = "head"};
    if (!shape_.pooler || shape_.image_size > 0) add_norm(layer);
    layer.moved += numbers(2 * width_);
    layer.kept += numbers(width_);
    layer.kernels += 2;
    if (shape_.pooler) {
      add_matrix(layer, shape_.width, shape_.width, true);
      layer.multiply(static_cast<double>(options_.batch), width_, width_);
      return layer;
    }
    const bool image = shape_.image_size > 0;
    const double rows = image ? static_cast<double>(options_.batch) : tokens_;
    const std::int64_t outputs = image ? shape_.classes : shape_.vocabulary;
    if (!shape_.tied) add_matrix(layer, shape_.width, outputs, image);
    layer.multiply(rows, static_cast<double>(outputs), width_);
    // The softmax reads the logits and works in 32 bits, of which it keeps the result.
    constexpr double kSoftmaxBytes = 4;
    const double logits = rows * static_cast<double>(outputs);
    layer.moved += logits * (2 * options_.number_bytes + 2 * kSoftmaxBytes);
    layer.kept += logits * (options_.number_bytes + kSoftmaxBytes);
    return layer;
  }

 private:
  /// Bytes of this many activations for each token.
  [[nodiscard]] double numbers(double each_token) const {
    return tokens_ * each_token * options_.number_bytes;
  }
  [[nodiscard]] std::int64_t positions() const {
    return shape_.image_size > 0 ? shape_.tokens(0) : shape_.positions;
  }

  static void add_tensor(LayerWork& layer, std::int64_t count) {
    layer.parameters += count;
    ++layer.tensors;
  }
  static void add_matrix(LayerWork& layer, std::int64_t in, std::int64_t out, bool biased) {
    add_tensor(layer, in * out);
    if (biased) add_tensor(layer, out);
  }
  void add_norm(LayerWork& layer) const {
    add_tensor(layer, shape_.width);
    if (shape_.biases) add_tensor(layer, shape_.width);
  }

  void add_attention(LayerWork& layer) const {
    const double scores = tokens_ * sequence_ * shape_.heads;
    const double operations = 4 * tokens_ * sequence_ * width_;
    if (options_.fused_attention) {
      layer.attention += shape_.causal ? operations / 2 : operations;
      layer.kernels += 1;
      return;
    }
    // A product a head and example; the scores are written, masked, normalised, read.
    const double size = width_ / shape_.heads;
    const int products = static_cast<int>(options_.batch) * shape_.heads;
    layer.multiply(sequence_, sequence_, size, products);
    layer.multiply(sequence_, size, sequence_, products);
    layer.kernels += 4 - 2 * products;  // batched: one kernel for all heads
    layer.moved += 6 * scores * options_.number_bytes;
    constexpr double kKeptBytes = 5;
    layer.kept += kKeptBytes * scores;
  }

  const TransformerShape& shape_;
  const WorkOptions& options_;
  double width_;
  double sequence_;
  double tokens_;
};

}  // namespace

std::int64_t TransformerShape::tokens(std::int64_t sequence) const {
  if (image_size == 0) return sequence;
  const std::int64_t side = image_size / patch_size;
  return side * side + 1;
}

std::vector<LayerWork> layer_work(const TransformerShape& shape, const WorkOptions& options) {
  const Count count(shape, options);
  std::vector<LayerWork> layers{count.embedding()};
  for (int i = 0; i < shape.layers; ++i) layers.push_back(count.block(i));
  layers.push_back(count.head());
  return layers;
}

}  // namespace foretrain
