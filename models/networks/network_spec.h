// The description of a network in a scenario: a list of layers under a loss.
#pragma once

#include "models/layers/layer_spec.h"
#include "models/layers/profiled.h"
#include "models/shapes/layer_work.h"

#include <vector>

namespace foretrain {

/// The layers from input to logits; the loss follows from the classes (`softmax_cross_entropy`, or
/// `logistic` if the last layer has one output and there are two classes).
struct NetworkSpec {
  std::vector<LayerSpec> layers;

  bool operator==(const NetworkSpec&) const = default;
};

/// A network as the times that its layers took elsewhere, from the input to the loss.
struct NetworkProfile {
  std::vector<LayerTimes> layers;
  int batch_size = 1;    ///< number of examples that the times, or the work, refer to
  int second_batch = 0;  ///< batch size of the second times; 0: there are none
  /// In place of times, which a device's rates give (models/shapes/device_time.h); empty: `layers`.
  std::vector<LayerWork> work{};
};

}  // namespace foretrain
