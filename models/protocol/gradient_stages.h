// A gradient in several jobs, to overlap computation with communication.
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

/// A job of a gradient: a part of the forward pass, of the backward pass, or the end of one with
/// the beginning of the other. If a gradient is the mean over several batches, each batch has its
/// own stages.
struct GradientStage {
  LayerRange forward;
  LayerRange backward;
  std::vector<std::uint32_t> needs;    ///< buckets whose values no earlier stage has read; if they
                                       ///< are gathered, that the stage before has not read
  std::vector<std::uint32_t> buckets;  ///< buckets whose gradient is complete after it
  TotalCost cost;
  Bytes summed{};    ///< part of `cost`: moved to add the gradient to earlier batches
  double share = 1;  ///< share of its batch's gradient, on the nominal core
  int batch = 0;     ///< index of the batch in the gradient
  int stage = 0;     ///< index of the stage in the batch

  [[nodiscard]] bool begins_batch() const { return stage == 0; }
};

/// The stages of a gradient in order. Backpropagation begins at the last layer, so the buckets of
/// the last layers can be sent while the others are computed; the next forward pass begins at the
/// first layer, so it can begin while new values of the others are still on their way. No stage is
/// so small that it would run on the event loop, where it would overtake the stage before it. There
/// is one stage if `Training::overlap` is off, nothing is sent, the gradient is clipped (its norm
/// is known at its end), or the model is sparse (it has one layer).
///
/// With several batches (`Training::accumulate`) only the first waits for values, and only the last
/// completes buckets, as in PyTorch's DistributedDataParallel, which computes all but the last
/// under `no_sync`. So the batches between are one stage each. If batches are reduced one by one
/// (`Training::reduces_batches`) each completes buckets.
///
/// If parameters are gathered (gathers.h), a stage has the parameters that it reads, and releases
/// them unless the next stage reads them, too: so each batch is cut, forward and backward. If there
/// is one stage, all parameters are gathered once, before the forward pass.
std::vector<GradientStage> gradient_stages(const Training& training);

/// The layers at which a stage begins or ends, forward or backward, ascending; one past the last
/// layer counts as a layer (PlannedNetwork::part_begins).
std::vector<std::size_t> part_begins(std::span<const GradientStage> stages);

/// The most parameters, in bytes, that two consecutive stages read together.
Bytes read_by_two_stages(const Training& training);
/// The most gradients, in bytes, that two consecutive stages make together.
Bytes made_by_two_stages(const Training& training);

}  // namespace foretrain
