// The time of counted work on a device.
#pragma once

#include "models/base/time.h"
#include "models/shapes/layer_work.h"

namespace foretrain {

/// Rates that a device reaches in trainings.
struct DeviceRates {
  double products = 0;   ///< FLOP/s of large matrix products
  double half_size = 0;  ///< edge of a product that runs at half of it
  double attention = 0;  ///< FLOP/s of fused attention
  double memory = 0;     ///< bytes/s
  double launch_s = 0;   ///< of a kernel
};

/// Activations that the backward pass computes again (Chen and others 2016; selective: Korthikanti
/// and others 2022): selective keeps the outputs of products and of attention, full only the input
/// of each block.
enum class Recompute { none, selective, full };

struct PassTimes {
  double forward_s = 0;
  double backward_s = 0;
};

/// The times of a layer's passes. The forward pass takes
///
///     (products + half_size x edges) / rate + attention / its rate + moved / memory
///
/// or its kernels' launches, whichever is longer. The backward pass takes twice the products and
/// the bytes, 2.5 times the attention (five products where forward has two, and its scores again:
/// Dao 2022), and before that what is recomputed. Realism: terms add up, since a device runs one
/// kernel at a time; products near the memory's limit are not told apart.
PassTimes pass_times(const LayerWork& work, const DeviceRates& rates, Recompute recompute);

/// Bytes of activations that a layer keeps until its backward pass.
double kept_bytes(const LayerWork& work, Recompute recompute);

}  // namespace foretrain
