// The description of a layer in a scenario.
#pragma once

#include "models/layers/initializer.h"

#include <stdexcept>
#include <string>

namespace foretrain {

/// One line of a network. The fields of each kind are listed at its name in layers/registry.cpp.
struct LayerSpec {
  std::string kind;   ///< dense | conv | max_pool | average_pool | batch_norm | lrn | relu | add |
                      ///< dropout | flatten | sparse_dense | embedding
  int units = 0;      ///< dense, sparse_dense: outputs; conv: output channels; 0: the classes.
                      ///< embedding: numbers of a field's vector
  int size = 0;       ///< conv, max_pool: side of the window; average_pool: side of the output;
                      ///< lrn: channels that are summed
  int stride = 0;     ///< conv, max_pool: pixels from a window to the next; 0: see `step`
  int padding = 0;    ///< conv, max_pool: pixels added at each side
  bool bias = true;   ///< conv: it adds a bias to each output channel
  double rate = 0.5;  ///< dropout: share of the units that are dropped
  double alpha = 1e-4;    ///< lrn
  double beta = 0.75;     ///< lrn
  double k = 1;           ///< lrn
  double epsilon = 1e-5;  ///< batch_norm: added to the variance
  double momentum = 0.1;  ///< batch_norm: weight of a batch in the running statistics
  int from = 0;           ///< add: the layer whose output is added, counted backwards: -2, -3, ...
  Initializer init{};     ///< dense, conv, sparse_dense, embedding

  /// The stride; default: 1 for a convolution, the side of its window for a pool.
  [[nodiscard]] int step() const {
    if (stride > 0) return stride;
    return kind == "max_pool" ? size : 1;
  }
  bool operator==(const LayerSpec&) const = default;
};

/// A network that cannot be built; the message names the layer by its number and kind, the shapes
/// and what to change.
class NetworkError : public std::runtime_error {
 public:
  NetworkError(int layer, const std::string& what) : std::runtime_error(what), layer_(layer) {}
  /// Index from 0; -1: the network as a whole.
  [[nodiscard]] int layer() const { return layer_; }

 private:
  int layer_;
};

}  // namespace foretrain
