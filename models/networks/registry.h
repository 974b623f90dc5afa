// The networks that have a name.
#pragma once

#include "models/networks/network_spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// What some of the named networks are told besides their name.
struct NetworkOptions {
  std::vector<int> hidden = {128};  ///< mlp: units of each hidden layer
  int hash_bits = 18;               ///< sparse_logistic: features are hashed into 2^hash_bits

  bool operator==(const NetworkOptions&) const = default;
};

std::vector<std::string> network_names();
/// The network called `name`, which must be one of `network_names`.
NetworkSpec network_spec(std::string_view name, const NetworkOptions& options);

/// Which vector instructions the kernels were compiled for: weights made by different sets are
/// not comparable. One of avx512, avx2, sse2; neon on ARM; portable: none that Eigen knows.
std::string_view kernel_set();
/// Floats of a register of such kernels, by which scratch is planned; of a name that is not one of
/// these, of avx2's: what a machine is forecast to take is no matter of who forecasts it.
int register_floats(std::string_view kernels);

}  // namespace foretrain
