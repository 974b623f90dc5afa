// What a machine file calls a model.
#pragma once

#include "models/networks/network.h"

#include <string>

namespace foretrain {

/// `softmax 784x10`: the network and the size of what it reads and tells apart, since its cost
/// depends on both.
std::string model_key(const std::string& network, InputShape shape);

}  // namespace foretrain
