// What a gradient scribbles on.
#pragma once

#include "models/networks/network.h"
#include "models/tensor/floats.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace foretrain {

/// What an evaluation gathers.
struct EvaluationBuffers {
  std::vector<std::int64_t> examples;
  Batch batch;
  std::vector<float> scores;
  std::vector<std::int32_t> labels;
};

/// One buffer, cut for a batch of a size:
///
///     outputs of the layers, in order | two buffers that gradients by them alternate between |
///     what layers save | scratch, shared by all
class Network::Workspace {
 public:
  using Layers = std::vector<std::unique_ptr<const Layer>>;

  Workspace(const Layers& layers, Stream dropout_stream)
      : dropout(dropout_stream), layers_(layers) {}

  static Bytes size(const Layers& layers, std::int64_t batch);

  /// Cuts the buffer for `examples`; allocates where it never was cut for so many.
  void cut(std::int64_t examples);
  [[nodiscard]] std::span<float> output(std::size_t layer);
  /// Of the loss by the output of `layer`.
  [[nodiscard]] std::span<float> output_gradient(std::size_t layer);
  [[nodiscard]] std::byte* saved(std::size_t layer);
  [[nodiscard]] float* scratch();

  Stream dropout;
  std::vector<float> statistics;  ///< of Network::statistics
  EvaluationBuffers evaluation;

 private:
  /// Where the parts begin, in floats; each at a multiple of 16.
  struct Plan {
    Plan(const Layers& layers, std::int64_t batch);

    std::int64_t examples = 0;
    std::vector<std::size_t> outputs;
    std::size_t gradients[2] = {0, 0};
    std::vector<std::size_t> saved;
    std::size_t scratch = 0;
    std::size_t total = 0;
  };

  const Layers& layers_;
  Floats memory_;
  std::deque<Plan> plans_;      // one for each batch size that was seen
  const Plan* plan_ = nullptr;  // of the batch that it is cut for
};

/// A batch on its way through a network.
class Pass {
 public:
  Pass(const Network& network, Network::Workspace& workspace, std::span<const float> parameters,
       const Batch& batch, Parallel& parallel);

  /// Layers [first, last), the first first.
  void forward(std::size_t first, std::size_t last, bool training);
  /// Layers [first, last), the last first. `gradient`: as the parameters; that of these layers is
  /// written.
  void backward(std::size_t first, std::size_t last, std::span<float> gradient);
  [[nodiscard]] std::span<const float> logits();
  [[nodiscard]] std::span<float> logit_gradient();

 private:
  /// Where the parameters of a layer are.
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  [[nodiscard]] Range range(std::size_t layer) const;
  void fill(LayerPass& pass, std::size_t layer);
  /// The gradient by the output of `layer` gets what layers that add it, further back, have kept.
  void add_skipped(std::size_t layer, float* gradient);

  const Network& network_;
  Network::Workspace& workspace_;
  std::span<const float> parameters_;
  const Batch& batch_;
  Parallel& parallel_;
  bool compact_;  // the parameters are those of the features present
};

}  // namespace foretrain
