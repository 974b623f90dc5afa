// The memory layout of a pass through a network.
#pragma once

#include "models/base/quantity.h"
#include "models/layers/layer.h"
#include "models/networks/registry.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace foretrain {

/// Layers [first, last) that `group` examples of a batch pass together, before the next group: the
/// output of one layer is still in the caches when the next one reads it. A run has layers
/// `by_example` (Layer::by_example), or a single layer with the whole batch as its group.
struct LayerRun {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t group = 0;
};

/// A layer that reads the output of a layer other than the one before it (Layer::other).
struct Skip {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// The input of a plan.
struct PlannedNetwork {
  std::span<const std::unique_ptr<const Layer>> layers;
  std::span<const Skip> skips;
  /// Layers at which a part of a pass begins: a run begins there, too.
  std::span<const std::size_t> part_begins;
};

/// The runs of a batch, with a place for all data in one buffer:
///
///     outputs of the layers, in order | what layers save | gradients by outputs | scratch
///
/// An output that a backward pass, or a layer of another run, reads is stored for the whole batch,
/// any other for one group. Gradients by outputs alternate between two buffers at the ends of runs,
/// and between two others, for one group, within runs.
class WorkspacePlan {
 public:
  /// Floats; begins at a multiple of 16.
  struct Place {
    std::size_t first = 0;
    std::size_t floats = 0;
    bool whole = true;  ///< for the batch; else for a group
  };
  struct GradientPlace : Place {
    std::size_t buffer = 0;  ///< one of the four
  };

  /// For kernels whose registers hold `simd` floats.
  WorkspacePlan(const PlannedNetwork& network, std::int64_t batch,
                int simd = register_floats(kernel_set()));

  [[nodiscard]] std::int64_t examples() const { return examples_; }
  [[nodiscard]] std::span<const LayerRun> runs() const { return runs_; }
  [[nodiscard]] const Place& output(std::size_t layer) const { return outputs_[layer]; }
  /// The gradient by the output of `layer`.
  [[nodiscard]] const GradientPlace& gradient(std::size_t layer) const { return gradients_[layer]; }
  [[nodiscard]] const Place& saved(std::size_t layer) const { return saved_[layer]; }
  [[nodiscard]] const Place& scratch() const { return scratch_; }
  /// The size of the four buffers of gradients by outputs.
  [[nodiscard]] std::size_t gradient_floats() const { return gradient_floats_; }
  [[nodiscard]] Bytes size() const { return {static_cast<std::int64_t>(total_) * 4}; }

 private:
  void find_runs(const PlannedNetwork& network);
  void place_gradients(const PlannedNetwork& network);
  Place take(std::int64_t floats, bool whole);

  std::int64_t examples_;
  std::vector<LayerRun> runs_;
  std::vector<Place> outputs_;  // by layer, as the two below
  std::vector<GradientPlace> gradients_;
  std::vector<Place> saved_;
  Place scratch_;
  std::size_t gradient_floats_ = 0;
  std::size_t total_ = 0;
};

}  // namespace foretrain
