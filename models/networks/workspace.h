// The buffers of a gradient.
#pragma once

#include "models/networks/network.h"
#include "models/networks/workspace_plan.h"
#include "models/tensor/floats.h"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace foretrain {

/// The buffers of an evaluation.
struct EvaluationBuffers {
  std::vector<std::int64_t> examples;
  Batch batch;
  std::vector<float> scores;
  std::vector<std::int32_t> labels;
};

/// One buffer, used according to the plan for the size of the batch.
class Network::Workspace {
 public:
  /// `part_begins`: layers at which a part of a pass begins, besides the first.
  Workspace(const Network& network, std::span<const std::size_t> part_begins, Stream dropout_stream)
      : dropout(dropout_stream),
        network_(network),
        part_begins_(part_begins.begin(), part_begins.end()) {}

  /// Plans the buffer for `examples`; allocates only if it was never planned for as many.
  void prepare(std::int64_t examples);
  [[nodiscard]] const WorkspacePlan& plan() const { return *plan_; }
  /// From the numbers of `example` on; from the group's first if stored by group.
  [[nodiscard]] float* output(std::size_t layer, std::int64_t example = 0);
  /// The loss's gradient by the output of `layer`, likewise.
  [[nodiscard]] float* output_gradient(std::size_t layer, std::int64_t example = 0);
  [[nodiscard]] std::byte* saved(std::size_t layer, std::int64_t example = 0);
  [[nodiscard]] float* scratch();

  Stream dropout;
  std::vector<float> statistics;  ///< as in Network::statistics
  EvaluationBuffers evaluation;

 private:
  [[nodiscard]] float* at(const WorkspacePlan::Place& place, std::size_t layer,
                          std::int64_t example);

  const Network& network_;
  std::vector<std::size_t> part_begins_;
  Floats memory_;
  std::deque<WorkspacePlan> plans_;      // one for each batch size so far
  const WorkspacePlan* plan_ = nullptr;  // for the batch that it is prepared for
};

/// One pass of a batch through a network.
class Pass {
 public:
  Pass(const Network& network, Network::Workspace& workspace, std::span<const float> parameters,
       const Batch& batch, Parallel& parallel);

  /// Layers [first, last), whole runs, in order.
  void forward(std::size_t first, std::size_t last, bool training);
  /// Layers [first, last), whole runs, in reverse order. Writes the part of these layers in
  /// `gradient`, which is laid out as the parameters.
  void backward(std::size_t first, std::size_t last, std::span<float> gradient);
  [[nodiscard]] std::span<const float> logits();
  [[nodiscard]] std::span<float> logit_gradient();

 private:
  /// The place of a layer's parameters.
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  /// `count` examples of the batch, from `first`.
  struct Examples {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  [[nodiscard]] Range range(std::size_t layer) const;
  [[nodiscard]] std::span<const LayerRun> runs(std::size_t first, std::size_t last) const;
  /// Calls `pass(examples)` for each group of a run.
  template <class Group>
  void for_groups(const LayerRun& run, const Group& pass);
  void fill(LayerPass& pass, std::size_t layer, const Examples& of);
  void forward_layer(std::size_t layer, const Examples& of, bool training);
  void backward_layer(std::size_t layer, const Examples& of, std::span<float> gradient);
  /// Adds the saved gradients of later layers that read the output of `layer` to its gradient.
  void add_skipped(std::size_t layer);
  [[nodiscard]] std::size_t logit_count() const;

  const Network& network_;
  Network::Workspace& workspace_;
  std::span<const float> parameters_;
  const Batch& batch_;
  Parallel& parallel_;
  bool compact_;  // the parameters are those of the present features
};

}  // namespace foretrain
