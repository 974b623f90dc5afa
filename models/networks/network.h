// What is trained: layers under a loss, counted in operations.
#pragma once

#include "models/base/cost.h"
#include "models/base/parallel.h"
#include "models/base/random.h"
#include "models/data/dataset.h"
#include "models/layers/layer.h"
#include "models/networks/network_spec.h"
#include "models/networks/workspace_plan.h"
#include "models/optimizers/optimizer.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace foretrain {

/// Sums over the examples of an evaluation.
struct Score {
  double loss = 0;           ///< nats, summed
  std::int64_t correct = 0;  ///< examples whose likeliest class is their label
  /// Two classes: the area under the receiver operating characteristic, equals counted half. NaN
  /// otherwise, or where one class is missing.
  double auc = std::numeric_limits<double>::quiet_NaN();
};

/// A chain of layers under a loss. Immutable and shared by the workers of a process; what a
/// computation scribbles on is a Workspace, one a worker. The parameters are one vector of float:
/// layer after layer, each its weights, then its biases.
class Network {
 public:
  /// Activations, their gradients, what layers save: one allocation, sized by the largest batch
  /// so far.
  class Workspace;
  struct FreeWorkspace {
    void operator()(Workspace* workspace) const;
  };
  using WorkspacePointer = std::unique_ptr<Workspace, FreeWorkspace>;

  /// @throws NetworkError that names the layer, where shapes do not fit
  Network(const NetworkSpec& spec, const InputShape& input);
  /// A network that is known by its parameters and times alone: it has costs, it computes nothing.
  explicit Network(const NetworkProfile& profile);

  [[nodiscard]] const InputShape& input() const { return input_; }
  [[nodiscard]] std::int64_t parameters() const { return parameters_; }
  /// Weights, biases of each layer that has them, in order.
  [[nodiscard]] std::span<const ParameterBlock> blocks() const { return blocks_; }
  [[nodiscard]] std::span<const std::unique_ptr<const Layer>> layers() const { return layers_; }
  /// Where the parameters of a layer begin.
  [[nodiscard]] std::int64_t first_parameter(std::size_t layer) const { return firsts_[layer]; }
  [[nodiscard]] std::span<const Skip> skips() const { return skips_; }
  /// Numbers that a training keeps beside the parameters (Layer::statistics), layer after layer.
  [[nodiscard]] std::int64_t statistics() const { return statistics_; }
  [[nodiscard]] std::int64_t first_statistic(std::size_t layer) const { return begins_[layer]; }
  /// As they are before the first gradient.
  [[nodiscard]] std::vector<float> initial_statistics() const;
  [[nodiscard]] std::string_view loss_name() const;
  /// The first layer reads sparse rows: gradients can be computed on the rows present alone.
  [[nodiscard]] bool sparse() const { return input_.sparse(); }
  /// Sparse: weights of the first layer that belong to one feature.
  [[nodiscard]] std::int64_t weights_a_feature() const {
    return layers_.front()->weights() / input_.sparse_features;
  }

  /// `dropout` is what units are dropped by in `gradient`; `statistics`: to go on from, or empty;
  /// `part_begins`: layers that parts of a gradient begin with (`forward_of`, `gradient_of`).
  [[nodiscard]] WorkspacePointer make_workspace(
      Stream dropout, std::span<const float> statistics = {},
      std::span<const std::size_t> part_begins = {}) const;

  /// Draws the parameters that a training starts from. `parameters`: [parameters()].
  void initialize(Stream& stream, std::span<float> parameters) const;

  /// The mean loss (nats) over `batch`, and its gradient into `gradient`: [parameters()], all of it
  /// written. Sparse: where both are shorter, they hold the parameters `present(batch)` alone.
  double gradient(std::span<const float> parameters, const Batch& batch, std::span<float> gradient,
                  Workspace& workspace, Parallel& parallel) const;
  /// The same in parts, the same bits: forward through layers [first, last), from 0 up, which
  /// returns the loss with the last of them, else NaN; then the gradient of layers [first, last),
  /// the last layers first, down to 0. `workspace`, made with their `part_begins`, is left alone in
  /// between; of `parameters` a part forward reads those of its layers, a part backward those too,
  /// as they were.
  double forward_of(std::size_t first, std::size_t last, std::span<const float> parameters,
                    const Batch& batch, Workspace& workspace, Parallel& parallel) const;
  void gradient_of(std::size_t first, std::size_t last, std::span<const float> parameters,
                   const Batch& batch, std::span<float> gradient, Workspace& workspace,
                   Parallel& parallel) const;
  /// Sparse: the parameters that a gradient over `batch` can differ from zero at, ascending.
  void present(const Batch& batch, std::vector<std::uint32_t>& parameters) const;

  /// The score over the examples [first, last) of `data`.
  Score evaluate(std::span<const float> parameters, const Dataset& data, std::int64_t first,
                 std::int64_t last, Workspace& workspace, Parallel& parallel) const;

  /// It is known by a profile: only what counts, cuts, costs it can be asked.
  [[nodiscard]] bool profiled() const { return profiled_; }

  /// What the plan of a Workspace is made of.
  [[nodiscard]] PlannedNetwork planned(std::span<const std::size_t> part_begins) const {
    return {layers_, skips_, part_begins};
  }
  /// Examples that an evaluation takes at a time.
  [[nodiscard]] std::int64_t evaluation_batch() const;

 private:
  void add(std::unique_ptr<const Layer> layer, const Initializer& initializer);

  InputShape input_;
  std::vector<std::unique_ptr<const Layer>> layers_;
  std::vector<Initializer> initializers_;  // by layer
  std::vector<std::int64_t> firsts_;       // by layer
  std::vector<std::int64_t> begins_;       // of its statistics, likewise
  std::vector<Skip> skips_;
  std::vector<ParameterBlock> blocks_;
  std::int64_t parameters_ = 0;
  std::int64_t statistics_ = 0;
  bool profiled_ = false;
};

}  // namespace foretrain
