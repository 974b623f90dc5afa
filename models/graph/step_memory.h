// The memory that a step takes, counted.
#pragma once

#include "models/base/quantity.h"
#include "models/networks/registry.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <vector>

namespace foretrain {

/// What one process holds that computes gradients for batches of `Training::batch_size` and applies
/// them itself, as `single` does. Beside it stand the program, the data set, an evaluation's batch.
struct StepMemory {
  Bytes parameters;
  Bytes gradients;         ///< sparse: of the parameters that a batch touches, plus the two
                           ///< numbers a parameter in which pushes are added up
  Bytes optimizer_state;   ///< beside the parameters; with servers it is theirs, so nothing
  Bytes outputs;           ///< of every layer: of the batch, as the backward pass reads it, or of a
                           ///< group of its examples
  Bytes output_gradients;  ///< by two neighbouring outputs at a time, in buffers that alternate
  Bytes saved;             ///< by layers besides (places of maxima, masks)
  Bytes scratch;           ///< of the layer that needs most
  Bytes forward_scratch;   ///< its beginning, which forward passes use
  Bytes batch;             ///< inputs, labels; sparse: of two steps, with what sorts them

  [[nodiscard]] Bytes activations() const { return outputs + output_gradients + saved; }
  /// What resident memory is judged by: parameters, gradients, state, activations.
  [[nodiscard]] Bytes counted() const {
    return parameters + gradients + optimizer_state + activations();
  }
  [[nodiscard]] Bytes total() const { return counted() + scratch + batch; }
};

/// Of that, what one layer's passes touch. Of an output or its gradient that is made group by group
/// (workspace_plan.h), what a group has of it.
struct LayerMemory {
  Bytes output;
  Bytes output_gradient;
  std::uint32_t gradient_place = 0;  ///< equal: the same buffer, at another time
  Bytes saved;
  Bytes scratch;
  Bytes forward_scratch;
  BackwardReads reads;
  double forward_part = 0;  ///< of the operations of a gradient
  double backward_part = 0;
};
/// `simd`: floats of a register of the machine that computes (models/networks/registry.h).
std::vector<LayerMemory> layer_memory(const Training& training, int simd);

/// Outputs, their gradients, what is saved, scratch add up to WorkspacePlan::size.
StepMemory step_memory(const Training& training, int simd = register_floats(kernel_set()));
/// As if the batches of the training's evaluations were its own. It has test examples.
StepMemory evaluation_memory(const Training& training, int simd = register_floats(kernel_set()));

}  // namespace foretrain
