// The networks that have a name.
#pragma once

#include "models/networks/network_spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Options of some of the named networks.
struct NetworkOptions {
  std::vector<int> hidden = {128};  ///< mlp: units of each hidden layer
  int hash_bits = 18;               ///< sparse_logistic: features are hashed into 2^hash_bits

  bool operator==(const NetworkOptions&) const = default;
};

std::vector<std::string> network_names();
/// The network named `name`, which must be one of `network_names`.
NetworkSpec network_spec(std::string_view name, const NetworkOptions& options);

/// The vector instructions that the kernels were compiled for: weights made with different sets are
/// not comparable. One of avx512, avx2, sse2; neon on ARM; portable: none that Eigen supports.
std::string_view kernel_set();
/// The floats in a register of such kernels, by which scratch is planned; for an unknown name that
/// of avx2: a forecast for a machine must not depend on the machine that computes it.
int register_floats(std::string_view kernels);

}  // namespace foretrain
