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

/// The arguments of both passes of a layer. Pointers to numbers are [batch][layer's shape]; only
/// the beginning of the batch is 64-byte aligned.
struct LayerPass {
  std::int64_t batch = 0;             ///< examples
  std::span<const float> parameters;  ///< the layer's: weights, then biases
  const float* input = nullptr;       ///< null: the layer reads `sparse`
  const SparseRows* sparse = nullptr;
  /// Sparse: `parameters` and `gradient` have only the rows of `sparse->features`, in order (then
  /// the biases). Else all rows.
  bool compact = false;
  const float* other = nullptr;  ///< the output of layer `Layer::other`, if there is one
  float* statistics = nullptr;   ///< the numbers of `Layer::statistics`, one after another
  std::byte* saved = nullptr;    ///< [saved_bytes(batch)], written forward, read backward
  float* scratch = nullptr;  ///< [scratch_floats(batch, simd)], undefined before and after a pass
  Parallel* parallel = nullptr;
};

struct ForwardPass : LayerPass {
  float* output = nullptr;
  /// Null: an evaluation, not a training; nothing is saved, nothing is dropped.
  Stream* dropout = nullptr;
};

struct BackwardPass : LayerPass {
  const float* output = nullptr;     ///< output of the forward pass; null: not `reads().output`
  float* output_gradient = nullptr;  ///< the loss's gradient by the output; may be overwritten
  float* input_gradient = nullptr;   ///< written in full; null: not wanted (first layer)
  std::span<float> gradient;         ///< by the parameters; written in full
  bool add = false;                  ///< `gradient` is added to; only for layers `by_example`
};

/// The values of its forward pass that a backward pass reads.
struct BackwardReads {
  bool input = true;  ///< the input, or the sparse rows
  bool output = true;
};

/// Numbers of a layer that a training's forward passes update for those of an evaluation. Gradients
/// do not change them, so each worker has its own.
struct Statistic {
  std::string_view name;  ///< name in other programs: `running_mean`
  std::int64_t count = 0;
  float start = 0;  ///< value of all of them before the first pass
};

/// The cost of a pass that reads and writes these bytes of activations.
inline Cost activations_cost(double operations, std::int64_t read, std::int64_t written) {
  Cost cost{Flops{operations}};
  cost.read.activations = {read};
  cost.written.activations = {written};
  return cost;
}

/// The cost of the backward pass of a layer whose forward pass is one product of its input and its
/// parameters: two products of that size, one for each gradient, or only the parameters'.
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

/// A layer is immutable and shared; all memory that a pass writes is passed to it. No pass
/// allocates. No sum depends on an address or on the number of threads.
class Layer {
 public:
  virtual ~Layer() = default;

  /// The layer's description in tables: `conv 6@5x5 pad 2 + relu`.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Shape output() const = 0;
  [[nodiscard]] virtual std::int64_t weights() const { return 0; }
  [[nodiscard]] virtual std::int64_t biases() const { return 0; }
  [[nodiscard]] std::int64_t parameters() const { return weights() + biases(); }
  /// The shape of the weights, outermost first, as in the layer's header; its product: weights().
  [[nodiscard]] virtual std::vector<std::int64_t> weight_shape() const { return {weights()}; }
  /// The initial value of all weights, if the network's initializer does not apply.
  [[nodiscard]] virtual std::optional<float> weights_start() const { return std::nullopt; }
  [[nodiscard]] virtual std::vector<Statistic> statistics() const { return {}; }
  /// Passes over a batch equal passes over parts of its examples one after another, with the same
  /// bits: the backward ones add to the gradient of those before. Saved sizes are equal by example.
  [[nodiscard]] virtual bool by_example() const { return false; }
  [[nodiscard]] virtual BackwardReads reads() const { return {}; }
  /// The layer of the network whose output it reads besides that of the layer before it; -1: none.
  [[nodiscard]] virtual int other() const { return -1; }
  /// Inputs and outputs of one unit, by which initializers scale weights.
  [[nodiscard]] virtual Fans fans() const { return {}; }

  /// Counted as defined in models/cost/work.h.
  [[nodiscard]] virtual Cost forward_cost(std::int64_t batch) const = 0;
  [[nodiscard]] virtual Cost backward_cost(std::int64_t batch, bool input_gradient) const = 0;

  /// Bytes saved from the forward to the backward pass, besides input and output.
  [[nodiscard]] virtual std::int64_t saved_bytes(std::int64_t /*batch*/) const { return 0; }
  /// For kernels whose registers hold `simd` floats.
  [[nodiscard]] virtual std::int64_t scratch_floats(std::int64_t /*batch*/, int /*simd*/) const {
    return 0;
  }
  /// The first part of the scratch, which a forward pass uses: all that an evaluation touches.
  [[nodiscard]] virtual std::int64_t forward_scratch_floats(std::int64_t batch, int simd) const {
    return scratch_floats(batch, simd);
  }

  virtual void forward(const ForwardPass& pass) const = 0;
  virtual void backward(const BackwardPass& pass) const = 0;
  /// Adds the loss's gradient by the output of layer `other`, which its backward pass has saved, to
  /// `gradient`, which already has all other terms. Only for layers with such an output.
  virtual void add_gradient(const LayerPass& /*pass*/, float* /*gradient*/) const {}
};

}  // namespace foretrain
