// What a training costs.
#pragma once

#include "scenarios/prepared.h"

namespace foretrain {

/// What the hosts cost an hour that have a node of the training, or ship its batches; 0 where none
/// says its price.
double price_per_hour(const Prepared& prepared);

}  // namespace foretrain
