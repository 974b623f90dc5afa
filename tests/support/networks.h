// The named networks in sizes for tests.
#pragma once

#include "models/networks/network.h"
#include "models/networks/registry.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A network with test inputs.
struct NetworkCase {
  std::string name;
  NetworkSpec spec;
  InputShape input;
  std::int64_t batch = 0;
};

/// Every named network, with images as small as the layers allow. With `narrow`, hidden dense
/// layers of large networks and the convolutions of vgg11 have few units, so that slow twins can
/// follow. Everything else is unchanged.
std::vector<NetworkCase> network_cases(bool narrow);

/// Convolutions with batch normalisation and residual connections, one with a change of size.
NetworkCase residual_case();

/// An embedding vector for each field of sparse examples, followed by a hidden layer.
NetworkCase embedding_case();
/// ReLUs before pools in all combinations: movable behind the pool, or not because of an addition.
NetworkCase pooled_case();

/// The biases before a batch norm, which subtracts them: their gradient is zero, but for rounding.
bool is_normalised_away(const Network& network, const ParameterBlock& block);

/// The network without its dropout layers.
NetworkSpec without_dropout(NetworkSpec spec);

/// Parameters with which every layer matters: weights by `he` (sparse: N(0, 0.3^2)), biases 0.1.
std::vector<float> lively_parameters(const NetworkCase& network_case, std::uint64_t seed);

/// Examples that can be learned: each class has a pattern plus noise; for sparse examples each
/// class prefers some features.
void draw_batch(const InputShape& input, std::int64_t examples, Stream& stream, Batch& batch);

}  // namespace foretrain::testing
