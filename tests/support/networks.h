// The named networks, made small enough for tests.
#pragma once

#include "models/networks/network.h"
#include "models/networks/registry.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A network with the examples that it is tried on.
struct NetworkCase {
  std::string name;
  NetworkSpec spec;
  InputShape input;
  std::int64_t batch = 0;
};

/// Every named network: the images are as small as the layers allow, and where `narrow` the hidden
/// dense layers of the large ones have few units, so that slow twins keep up. Else all is as named.
std::vector<NetworkCase> network_cases(bool narrow);

/// Convolutions with residual connections, one across a change of size, and batch normalisation.
NetworkCase residual_case();

/// A vector for each field of sparse examples, under a hidden layer.
NetworkCase embedding_case();
/// Rectifiers before pools in every way: that can go behind them, or not because they are added.
NetworkCase pooled_case();

/// Without its dropout layers.
NetworkSpec without_dropout(NetworkSpec spec);

/// Parameters that make all layers count: weights by `he` (sparse: N(0, 0.3^2)), biases 0.1.
std::vector<float> lively_parameters(const NetworkCase& network_case, std::uint64_t seed);

/// Examples that can be learned: each class has a pattern, noise is added. Sparse: each class
/// prefers some features.
void draw_batch(const InputShape& input, std::int64_t examples, Stream& stream, Batch& batch);

}  // namespace foretrain::testing
