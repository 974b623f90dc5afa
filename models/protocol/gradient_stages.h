// A gradient as jobs that need not wait for all parameters, nor hold back all buckets.
#pragma once

#include "models/base/cost.h"
#include "models/protocol/training.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrain {

/// Layers [first, last).
struct LayerRange {
  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] bool empty() const { return first == last; }
  [[nodiscard]] std::size_t size() const { return last - first; }
};

/// A job of a gradient: a part of the forward pass, of the backward pass, or the end of the one
/// with the beginning of the other. Where a gradient is the mean over several batches, each of them
/// is cut for itself.
struct GradientStage {
  LayerRange forward;
  LayerRange backward;
  std::vector<std::uint32_t> needs;    ///< buckets whose values no stage before it has read; where
                                       ///< they are gathered, which the stage before has not
  std::vector<std::uint32_t> buckets;  ///< whose gradient is complete after it
  TotalCost cost;
  Bytes summed{};    ///< of it: what moves as the gradient is added to those of batches before
  double share = 1;  ///< of the gradient of its batch, by the nominal core
  int batch = 0;     ///< of those of the gradient: which one
  int stage = 0;     ///< of those of the batch: which one

  [[nodiscard]] bool begins_batch() const { return stage == 0; }
};

/// The stages of a gradient in order. Backpropagation begins at the last layer, so the buckets of
/// the last layers can be on their way while the others are computed; the next forward pass begins
/// at the first layer, so it can begin while the new values of the others are still on their way.
/// No stage is so small that it would run on the event loop, before the one that it follows. One
/// stage, where `Training::overlap` is off, where nothing travels, where the gradient is clipped
/// (its norm is known when all of it is), and for a sparse model, whose one layer is all there is.
///
/// Of several batches (`Training::accumulate`) the first alone waits for values, the last alone
/// completes buckets: what PyTorch's DistributedDataParallel does with all but the last of them
/// under `no_sync`. So those between are one stage each. Where batches are reduced one by one
/// (`Training::reduces_batches`) each of them completes buckets.
///
/// Where parameters are gathered (gathers.h), a stage has what it reads, and lets it go unless the
/// next one reads it, too: so each batch is cut, forward and backward. Of one stage all parameters
/// are gathered once, before the forward pass.
std::vector<GradientStage> gradient_stages(const Training& training);

/// The layers that a stage begins or ends with, forward or backward, ascending; what is behind the
/// last layer counts as one (PlannedNetwork::part_begins).
std::vector<std::size_t> part_begins(std::span<const GradientStage> stages);

/// Of the parameters, as floats, the most that a stage and the one behind it read together.
Bytes read_by_two_stages(const Training& training);
/// Of their gradients, the most that these make together.
Bytes made_by_two_stages(const Training& training);

}  // namespace foretrain
