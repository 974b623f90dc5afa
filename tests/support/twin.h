// Reference layers in plain loops of double precision.
#pragma once

#include "models/base/random.h"
#include "models/data/batch.h"
#include "models/data/dataset.h"
#include "models/networks/network_spec.h"
#include "models/tensor/shape.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace foretrain::testing {

/// The computation of a network written by its definition, slow, without code of models/. Tests
/// compare outputs with it, and gradients with its finite differences.

/// A step in a layer's parameters: parameters + step * signs, with random signs.
struct Nudge {
  std::int64_t first = 0;  ///< first parameter
  std::int64_t count = 0;
  double step = 0;
  std::uint64_t seed = 0;

  /// +1 or -1, for parameter `first + i`.
  [[nodiscard]] double sign(std::int64_t i) const;
};

/// The data between two layers.
struct Activations {
  Shape shape;
  std::int64_t batch = 0;
  std::vector<double> numbers;  ///< [batch][rows][columns][channels]
};

/// Parameters of a layer for the twin: floats plus a nudge.
class TwinParameters {
 public:
  TwinParameters(std::span<const float> floats, const std::optional<Nudge>& nudge)
      : floats_(floats), nudge_(nudge) {}
  [[nodiscard]] double operator[](std::int64_t i) const {
    const auto value = static_cast<double>(floats_[static_cast<std::size_t>(i)]);
    if (!nudge_ || i < nudge_->first || i >= nudge_->first + nudge_->count) return value;
    return value + nudge_->step * nudge_->sign(i - nudge_->first);
  }

 private:
  std::span<const float> floats_;
  std::optional<Nudge> nudge_;
};

/// One layer. `sparse`: the input of sparse_dense, embedding, whose parameters are rows. `dropout`:
/// null in evaluation.
Activations twin_forward(const LayerSpec& spec, int classes, const Activations& input,
                         const SparseRows* sparse, const TwinParameters& parameters,
                         Stream* dropout);
std::int64_t twin_parameters(const LayerSpec& spec, int classes, Shape input,
                             std::int64_t sparse_features);

/// The sum over the batch, in nats.
double twin_softmax_cross_entropy(std::span<const double> logits, std::int64_t batch,
                                  std::span<const std::int32_t> labels);
double twin_logistic(std::span<const double> logits, std::span<const std::int32_t> labels);

/// A whole network. It stores the data between layers, so a nudge recomputes only the later layers.
class TwinNetwork {
 public:
  TwinNetwork(const NetworkSpec& spec, const InputShape& input, std::span<const float> parameters,
              const Batch& batch, std::optional<Stream> dropout);

  /// The mean loss; `nudge` counts parameters from the network's first, within one layer.
  [[nodiscard]] double loss(const std::optional<Nudge>& nudge = std::nullopt) const;

 private:
  struct Stage {
    LayerSpec spec;
    Activations input;
    std::optional<Stream> dropout;  // state before this layer
    std::int64_t first = 0;         // parameter
    std::int64_t count = 0;
  };
  /// Output of a stage for its input; stages from `begin` on use the `moved` inputs.
  [[nodiscard]] Activations through(std::size_t stage, std::size_t begin,
                                    const std::vector<Activations>& moved,
                                    const std::optional<Nudge>& nudge, Stream* dropout) const;

  NetworkSpec spec_;
  InputShape input_;
  std::span<const float> parameters_;
  const Batch& batch_;
  std::vector<Stage> stages_;
  double loss_ = 0;
};

}  // namespace foretrain::testing
