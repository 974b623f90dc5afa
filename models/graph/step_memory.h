// The memory that a step takes, counted.
#pragma once

#include "models/base/quantity.h"
#include "models/networks/registry.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <vector>

namespace foretrain {

/// The memory of a process that computes gradients for batches of `Training::batch_size` and
/// applies them itself, as `single` does. Without program, data set, an evaluation's batch.
struct StepMemory {
  Bytes parameters;
  Bytes gradients;         ///< sparse: of the parameters that a batch touches, plus two numbers for
                           ///< each parameter to add up pushes
  Bytes optimizer_state;   ///< besides the parameters; zero with servers, which hold it
  Bytes outputs;           ///< of every layer: for the batch, if the backward pass reads it, or for
                           ///< a group of its examples
  Bytes output_gradients;  ///< by two consecutive outputs at a time, in alternating buffers
  Bytes saved;             ///< other values saved by layers (places of maxima, masks)
  Bytes scratch;           ///< of the layer that needs most
  Bytes forward_scratch;   ///< its first part, which forward passes use
  Bytes batch;             ///< inputs, labels; sparse: of two steps, with sort buffers

  [[nodiscard]] Bytes activations() const { return outputs + output_gradients + saved; }
  /// The part of resident memory that is validated: parameters, gradients, state, activations.
  [[nodiscard]] Bytes counted() const {
    return parameters + gradients + optimizer_state + activations();
  }
  [[nodiscard]] Bytes total() const { return counted() + scratch + batch; }
};

/// The part of it that one layer's passes touch. An output, or its gradient, computed group by
/// group (workspace_plan.h) has the size of one group.
struct LayerMemory {
  Bytes output;
  Bytes output_gradient;
  std::uint32_t gradient_place = 0;  ///< equal: the same buffer, at another time
  Bytes saved;
  Bytes scratch;
  Bytes forward_scratch;
  BackwardReads reads;
  double forward_part = 0;  ///< share of the operations of a gradient
  double backward_part = 0;
};
/// `simd`: floats in a register of the machine that computes (models/networks/registry.h).
std::vector<LayerMemory> layer_memory(const Training& training, int simd);

/// Outputs, their gradients, saved values and scratch add up to WorkspacePlan::size.
StepMemory step_memory(const Training& training, int simd = register_floats(kernel_set()));
/// As if the batches of the training's evaluations were its own. There must be test examples.
StepMemory evaluation_memory(const Training& training, int simd = register_floats(kernel_set()));

}  // namespace foretrain
