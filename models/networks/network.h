// The model in a training: layers under a loss, counted in operations.
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
  std::int64_t correct = 0;  ///< examples whose most likely class is their label
  /// Two classes: the area under the receiver operating characteristic, equal scores counted half.
  /// NaN otherwise, or if one class is missing.
  double auc = std::numeric_limits<double>::quiet_NaN();
};

/// A chain of layers under a loss. Immutable and shared by the workers of a process; the buffers of
/// a computation are in a Workspace, one for each worker. The parameters are one vector of float:
/// layer after layer, for each its weights, then its biases.
class Network {
 public:
  /// Activations, their gradients, saved values: one allocation, sized for the largest batch so
  /// far.
  class Workspace;
  struct FreeWorkspace {
    void operator()(Workspace* workspace) const;
  };
  using WorkspacePointer = std::unique_ptr<Workspace, FreeWorkspace>;

  /// @throws NetworkError that names the layer, if shapes do not fit
  Network(const NetworkSpec& spec, const InputShape& input);
  /// A network known only by its parameters and times: it has costs, but it cannot compute.
  explicit Network(const NetworkProfile& profile);

  [[nodiscard]] const InputShape& input() const { return input_; }
  [[nodiscard]] std::int64_t parameters() const { return parameters_; }
  /// Weights and biases of each layer that has them, in order.
  [[nodiscard]] std::span<const ParameterBlock> blocks() const { return blocks_; }
  [[nodiscard]] std::span<const std::unique_ptr<const Layer>> layers() const { return layers_; }
  /// The index of the first parameter of a layer.
  [[nodiscard]] std::int64_t first_parameter(std::size_t layer) const { return firsts_[layer]; }
  [[nodiscard]] std::span<const Skip> skips() const { return skips_; }
  /// The number of statistics besides the parameters (Layer::statistics), layer after layer.
  [[nodiscard]] std::int64_t statistics() const { return statistics_; }
  [[nodiscard]] std::int64_t first_statistic(std::size_t layer) const { return begins_[layer]; }
  /// The statistics before the first gradient.
  [[nodiscard]] std::vector<float> initial_statistics() const;
  [[nodiscard]] std::string_view loss_name() const;
  /// The first layer reads sparse rows: gradients can be computed on the present rows alone.
  [[nodiscard]] bool sparse() const { return input_.sparse(); }
  /// Sparse: number of weights of the first layer for each feature.
  [[nodiscard]] std::int64_t weights_a_feature() const {
    return layers_.front()->weights() / input_.sparse_features;
  }

  /// `dropout` draws the units that `gradient` drops; `statistics`: the initial ones, empty for the
  /// default; `part_begins`: layers at which parts of a gradient begin.
  [[nodiscard]] WorkspacePointer make_workspace(
      Stream dropout, std::span<const float> statistics = {},
      std::span<const std::size_t> part_begins = {}) const;

  /// Draws the initial parameters of a training. `parameters`: [parameters()].
  void initialize(Stream& stream, std::span<float> parameters) const;

  /// The mean loss (nats) over `batch`, and its gradient in `gradient`: [parameters()], written in
  /// full. Sparse: if both are shorter, they contain only the parameters `present(batch)`.
  double gradient(std::span<const float> parameters, const Batch& batch, std::span<float> gradient,
                  Workspace& workspace, Parallel& parallel) const;
  /// The same in parts, with the same bits: forward through layers [first, last), beginning at 0;
  /// the last part returns the loss, others NaN; then the gradient of layers [first, last), the
  /// last layers first, down to 0. `workspace`, made with their `part_begins`, must not be used in
  /// between; a forward part reads the `parameters` of its layers, and their backward part must get
  /// the same values.
  double forward_of(std::size_t first, std::size_t last, std::span<const float> parameters,
                    const Batch& batch, Workspace& workspace, Parallel& parallel) const;
  void gradient_of(std::size_t first, std::size_t last, std::span<const float> parameters,
                   const Batch& batch, std::span<float> gradient, Workspace& workspace,
                   Parallel& parallel) const;
  /// Sparse: the parameters at which a gradient over `batch` can be nonzero, ascending.
  void present(const Batch& batch, std::vector<std::uint32_t>& parameters) const;

  /// The score over the examples [first, last) of `data`.
  Score evaluate(std::span<const float> parameters, const Dataset& data, std::int64_t first,
                 std::int64_t last, Workspace& workspace, Parallel& parallel) const;

  /// The network is known by a profile: only counts, layers and costs can be queried.
  [[nodiscard]] bool profiled() const { return profiled_; }
  /// Time that the optimizer takes for all parameters, by the profile; 0 if that does not say.
  [[nodiscard]] double update_s() const { return update_s_; }

  /// The input of a Workspace's plan.
  [[nodiscard]] PlannedNetwork planned(std::span<const std::size_t> part_begins) const {
    return {layers_, skips_, part_begins};
  }
  /// The number of examples that an evaluation takes at a time.
  [[nodiscard]] std::int64_t evaluation_batch() const;

 private:
  void add(std::unique_ptr<const Layer> layer, const Initializer& initializer);

  InputShape input_;
  std::vector<std::unique_ptr<const Layer>> layers_;
  std::vector<Initializer> initializers_;  // by layer
  std::vector<std::int64_t> firsts_;       // by layer
  std::vector<std::int64_t> begins_;       // by layer: first statistic
  std::vector<Skip> skips_;
  std::vector<ParameterBlock> blocks_;
  std::int64_t parameters_ = 0;
  std::int64_t statistics_ = 0;
  bool profiled_ = false;
  double update_s_ = 0;
};

}  // namespace foretrain
