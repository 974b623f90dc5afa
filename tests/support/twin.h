// The layers over again as plain loops in double precision.
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

/// What a network computes, written as its definition is and as slow, sharing no code with models/.
/// Tests compare outputs with it, and gradients with finite differences of it.

/// A direction to go in from the parameters of a layer: parameters + step * signs, the signs drawn.
struct Nudge {
  std::int64_t first = 0;  ///< parameter
  std::int64_t count = 0;
  double step = 0;
  std::uint64_t seed = 0;

  /// +1 or -1, of parameter `first + i`.
  [[nodiscard]] double sign(std::int64_t i) const;
};

/// What passes between two layers.
struct Activations {
  Shape shape;
  std::int64_t batch = 0;
  std::vector<double> numbers;  ///< [batch][rows][columns][channels]
};

/// Parameters of one layer as the twin reads them: floats, nudged.
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

/// One layer. `sparse`: for sparse_dense, embedding, whose parameters are all rows. `dropout`: null
/// where the network is evaluated.
Activations twin_forward(const LayerSpec& spec, int classes, const Activations& input,
                         const SparseRows* sparse, const TwinParameters& parameters,
                         Stream* dropout);
std::int64_t twin_parameters(const LayerSpec& spec, int classes, Shape input,
                             std::int64_t sparse_features);

/// Summed over the batch, nats.
double twin_softmax_cross_entropy(std::span<const double> logits, std::int64_t batch,
                                  std::span<const std::int32_t> labels);
double twin_logistic(std::span<const double> logits, std::span<const std::int32_t> labels);

/// A whole network; it remembers what passed between the layers, so a nudge costs only the layers
/// from there on.
class TwinNetwork {
 public:
  TwinNetwork(const NetworkSpec& spec, const InputShape& input, std::span<const float> parameters,
              const Batch& batch, std::optional<Stream> dropout);

  /// The mean loss; `nudge` counts parameters from the first of the network, within one layer.
  [[nodiscard]] double loss(const std::optional<Nudge>& nudge = std::nullopt) const;

 private:
  struct Stage {
    LayerSpec spec;
    Activations input;
    std::optional<Stream> dropout;  // as it stands before this layer
    std::int64_t first = 0;         // parameter
    std::int64_t count = 0;
  };
  /// What a stage makes of its input, or, of those from `begin` on, of the `moved` one.
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
