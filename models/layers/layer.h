// One layer of a network: its shapes, parameters, costs, forward pass, backward pass.
#pragma once

#include "models/base/cost.h"
#include "models/base/parallel.h"
#include "models/base/random.h"
#include "models/data/batch.h"
#include "models/layers/initializer.h"
#include "models/tensor/shape.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// What both passes of a layer are given. Pointers to numbers are [batch][layer's shape] and
/// 64-byte aligned only where the batch begins.
struct LayerPass {
  std::int64_t batch = 0;             ///< examples
  std::span<const float> parameters;  ///< the layer's: weights, then biases
  const float* input = nullptr;       ///< null: the layer reads `sparse`
  const SparseRows* sparse = nullptr;
  /// Sparse: `parameters` and `gradient` hold the rows of `sparse->features` alone, in order (then
  /// the biases). Else all rows.
  bool compact = false;
  const float* other = nullptr;  ///< the output of layer `Layer::other`, where there is one
  float* statistics = nullptr;   ///< what `Layer::statistics` lists, one after another
  std::byte* saved = nullptr;    ///< [saved_bytes(batch)], written forward, read backward
  float* scratch = nullptr;  ///< [scratch_floats(batch, simd)], worthless before and after a pass
  Parallel* parallel = nullptr;
};

struct ForwardPass : LayerPass {
  float* output = nullptr;
  /// Null: the network is evaluated, not trained; nothing is saved, nothing dropped.
  Stream* dropout = nullptr;
};

struct BackwardPass : LayerPass {
  const float* output = nullptr;     ///< what the forward pass made; null: not `reads().output`
  float* output_gradient = nullptr;  ///< the loss's gradient by the output; may be overwritten
  float* input_gradient = nullptr;   ///< all of it is written; null: not wanted (first layer)
  std::span<float> gradient;         ///< by the parameters; all of it is written
  bool add = false;                  ///< it is added to; of layers that go by example
};

/// What a backward pass reads of what its forward pass read, made.
struct BackwardReads {
  bool input = true;  ///< or the sparse rows
  bool output = true;
};

/// Numbers of a layer that a training's forward passes leave for those of an evaluation. No
/// gradient changes them, so each worker has its own.
struct Statistic {
  std::string_view name;  ///< as other programs call it: `running_mean`
  std::int64_t count = 0;
  float start = 0;  ///< of all of them, before the first pass
};

/// A pass that reads and writes so many bytes of activations.
inline Cost activations_cost(double operations, std::int64_t read, std::int64_t written) {
  Cost cost{Flops{operations}};
  cost.read.activations = {read};
  cost.written.activations = {written};
  return cost;
}

/// The backward pass of a layer whose forward pass is one product of its input and its parameters:
/// two products as large, one for each gradient, or the parameters' alone.
inline Cost product_backward_cost(const Cost& forward, bool input_gradient) {
  Cost cost = forward;
  cost.read = {};
  cost.written = {};
  cost.read.activations = forward.read.activations + forward.written.activations;
  cost.written.gradients = forward.read.parameters;
  if (!input_gradient) return cost;
  cost.flops = cost.flops + cost.flops;
  cost.read.activations += forward.written.activations;
  cost.read.parameters = forward.read.parameters;
  cost.written.activations = forward.read.activations;
  return cost;
}

/// A layer is immutable and shared; what a pass scribbles on is given to it. No pass allocates. No
/// sum depends on an address or on the number of threads.
class Layer {
 public:
  virtual ~Layer() = default;

  /// What it is, for tables: `conv 6@5x5 pad 2 + relu`.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Shape output() const = 0;
  [[nodiscard]] virtual std::int64_t weights() const { return 0; }
  [[nodiscard]] virtual std::int64_t biases() const { return 0; }
  [[nodiscard]] std::int64_t parameters() const { return weights() + biases(); }
  /// How the weights lie, outermost first, as the layer's header says; their product is weights().
  [[nodiscard]] virtual std::vector<std::int64_t> weight_shape() const { return {weights()}; }
  /// What all weights start from, whatever the network says of their initialisation.
  [[nodiscard]] virtual std::optional<float> weights_start() const { return std::nullopt; }
  [[nodiscard]] virtual std::vector<Statistic> statistics() const { return {}; }
  /// Passes over a batch are passes over runs of its examples one after another, the same bits: the
  /// backward ones add to the gradient of those before. What it saves is as long by example.
  [[nodiscard]] virtual bool by_example() const { return false; }
  [[nodiscard]] virtual BackwardReads reads() const { return {}; }
  /// The layer of the network whose output it reads beside that of the layer before it; -1: none.
  [[nodiscard]] virtual int other() const { return -1; }
  /// Inputs and outputs of one unit, by which initialisations scale weights.
  [[nodiscard]] virtual Fans fans() const { return {}; }

  /// Counted as models/cost/work.h says.
  [[nodiscard]] virtual Cost forward_cost(std::int64_t batch) const = 0;
  [[nodiscard]] virtual Cost backward_cost(std::int64_t batch, bool input_gradient) const = 0;

  /// Kept from the forward to the backward pass besides input and output.
  [[nodiscard]] virtual std::int64_t saved_bytes(std::int64_t /*batch*/) const { return 0; }
  /// By kernels whose registers hold `simd` floats.
  [[nodiscard]] virtual std::int64_t scratch_floats(std::int64_t /*batch*/, int /*simd*/) const {
    return 0;
  }
  /// The beginning of the scratch that a forward pass uses: all that an evaluation touches.
  [[nodiscard]] virtual std::int64_t forward_scratch_floats(std::int64_t batch, int simd) const {
    return scratch_floats(batch, simd);
  }

  virtual void forward(const ForwardPass& pass) const = 0;
  virtual void backward(const BackwardPass& pass) const = 0;
  /// Adds what its backward pass has saved, the loss's gradient by the output of layer `other`, to
  /// `gradient`, which has all else. Of layers that have such an output.
  virtual void add_gradient(const LayerPass& /*pass*/, float* /*gradient*/) const {}
};

}  // namespace foretrain
