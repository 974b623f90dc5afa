#include "models/networks/softmax_regression.h"

#include "models/base/check.h"
#include "models/losses/softmax_cross_entropy.h"

#include <algorithm>
#include <numeric>

namespace foretrain {
namespace {

// Buffers of a batch; they keep their memory from one batch to the next.
struct Buffers : Network::Workspace {
  Matrix input;   // [batch, features]
  Matrix logits;  // [batch, classes], then the loss's gradient by them
  std::vector<std::uint8_t> labels;
  std::vector<std::int64_t> examples;
};

// Pixels 0 .. 255 as 0 .. 1, one row an example.
void gather(const Dataset& data, std::span<const std::int64_t> examples, Buffers& buffers) {
  const auto features = static_cast<std::size_t>(data.features());
  buffers.input.resize(static_cast<Eigen::Index>(examples.size()), data.features());
  buffers.labels.resize(examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto example = static_cast<std::size_t>(examples[i]);
    const std::uint8_t* pixels = data.pixels.data() + example * features;
    float* row = buffers.input.data() + i * features;
    for (std::size_t j = 0; j < features; ++j) row[j] = static_cast<float>(pixels[j]) / 255.0F;
    buffers.labels[i] = data.labels[example];
  }
}

}  // namespace

SoftmaxRegression::SoftmaxRegression(InputShape shape) : dense_{shape.features, shape.classes} {
  pin_product_blocking();
}

std::unique_ptr<Network::Workspace> SoftmaxRegression::make_workspace() const {
  return std::make_unique<Buffers>();
}

void SoftmaxRegression::initialize(Stream& /*stream*/, std::span<float> parameters) const {
  std::ranges::fill(parameters, 0.0F);
}

double SoftmaxRegression::gradient(std::span<const float> parameters, const Dataset& data,
                                   std::span<const std::int64_t> examples,
                                   std::span<float> gradient, Workspace& workspace) const {
  auto& buffers = static_cast<Buffers&>(workspace);
  gather(data, examples, buffers);
  dense_.forward(parameters, buffers.input, buffers.logits);
  const BatchLoss loss = softmax_cross_entropy(buffers.logits, buffers.labels);
  dense_.backward(buffers.input, buffers.logits, gradient);
  return loss.sum / static_cast<double>(examples.size());
}

Score SoftmaxRegression::evaluate(std::span<const float> parameters, const Dataset& data,
                                  std::int64_t first, std::int64_t last,
                                  Workspace& workspace) const {
  FT_CHECK_OP(last, <=, data.examples);
  constexpr std::int64_t kBatch = 256;  // input and logits stay in the second-level cache
  auto& buffers = static_cast<Buffers&>(workspace);
  Score score;
  for (; first < last; first += kBatch) {
    buffers.examples.resize(static_cast<std::size_t>(std::min(kBatch, last - first)));
    std::iota(buffers.examples.begin(), buffers.examples.end(), first);
    gather(data, buffers.examples, buffers);
    dense_.forward(parameters, buffers.input, buffers.logits);
    const BatchLoss loss = softmax_cross_entropy_loss(buffers.logits, buffers.labels);
    score.loss += loss.sum;
    score.correct += loss.correct;
  }
  return score;
}

Cost SoftmaxRegression::gradient_cost(std::int64_t examples) const {
  const Cost forward = dense_.forward_cost(examples);
  const Cost backward = dense_.backward_cost(examples);
  return {forward.flops + backward.flops, forward.bytes + backward.bytes};
}

Cost SoftmaxRegression::evaluation_cost(std::int64_t examples) const {
  return dense_.forward_cost(examples);
}

}  // namespace foretrain
