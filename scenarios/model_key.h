// What a machine file calls a model.
#pragma once

#include "models/data/dataset.h"
#include "scenarios/scenario.h"

#include <string>

namespace foretrain {

/// `softmax 784x10`, `lenet 784x10 threads 2`: the network, the size of what it reads and tells
/// apart, with how many threads: its cost depends on all of them.
std::string model_key(const Scenario& scenario, const InputShape& shape);

}  // namespace foretrain
