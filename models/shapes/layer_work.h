// The work of a network's layers, counted from its shape.
#pragma once

#include <cstdint>
#include <string>

namespace foretrain {

/// The work of a layer's forward pass over one batch, and what it keeps for the backward pass; the
/// same on every device. models/shapes/device_time.h makes times of it.
///
/// A matrix product [m, k] x [k, n] counts 2 m n k operations. How much of a device's peak it
/// reaches depends on its edges: tiles at their ends are not full, and each number that is read is
/// used fewer times. `edges` adds up 2 m n k (1/m + 1/n + 1/k), so that the time of all products is
/// linear in the two sums. A convolution is a product with m = batch x output pixels, n = output
/// channels, k = kernel area x input channels (as im2col makes it).
struct LayerWork {
  std::string layer;            ///< name for users
  std::int64_t parameters = 0;  ///< numbers that are learned
  int tensors = 0;              ///< tensors that hold them
  double products = 0;          ///< operations of matrix products
  double edges = 0;
  double attention = 0;       ///< operations of attention's two products, if they are fused
  double moved = 0;           ///< bytes that everything else reads and writes
  double kept = 0;            ///< bytes of activations kept
  double kept_products = 0;   ///< part of `kept` that selective recomputation keeps
  double kept_input = 0;      ///< part that full recomputation keeps: the layer's input
  int kernels = 0;            ///< kernels that a device launches
  bool recomputable = false;  ///< recomputation may leave its activations out

  /// Adds `count` products [m, k] x [k, n].
  void multiply(double m, double n, double k, int count = 1) {
    const double operations = count * 2 * m * n * k;
    products += operations;
    edges += operations * (1 / m + 1 / n + 1 / k);
    kernels += count;
  }
  /// The work of `batches` such batches. The edge of the batch grows in reality; here it stays.
  void scale(double batches) {
    for (double* each : {&products, &edges, &attention, &moved, &kept, &kept_products, &kept_input})
      *each *= batches;
  }

  bool operator==(const LayerWork&) const = default;
};

/// Inputs of a count of work besides the network.
struct WorkOptions {
  std::int64_t batch = 1;       ///< examples: sequences or images
  std::int64_t sequence = 0;    ///< tokens in a sequence; ignored for images
  int number_bytes = 4;         ///< of an activation
  bool fused_attention = true;  ///< scores stay in the chip's memory (FlashAttention, Dao 2022)
};

}  // namespace foretrain
