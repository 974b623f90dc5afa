// Small trainings for tests of node programs.
#pragma once

#include "models/protocol/training.h"

#include <memory>
#include <string>

namespace foretrain::testing {

/// Softmax regression on 300 drawn digits, 8 examples a gradient, plain SGD.
std::shared_ptr<Training> small_training(const std::string& strategy, int workers, int servers,
                                         std::int64_t steps, Bytes bucket_size = {1'000'000});

}  // namespace foretrain::testing
