// What one bucket costs in a step, beside the gradient.
#pragma once

#include "models/base/cost.h"
#include "models/protocol/training.h"

namespace foretrain {

struct BucketCost {
  Cost push;    ///< made by a worker, checked by the server
  Cost reduce;  ///< without servers: what all workers add up before the owner applies
  Cost apply;
  Cost average;  ///< in a step that averages parameters: added up by all workers, then averaged
  Cost pull;     ///< what a push wants gathered for it, put in its place by the chief
};

/// As the programs of models/protocol ask for it, or tell of it, in a step of one worker with the
/// updates that follow from it: one for a gradient of each worker, or one for each gradient. Where
/// workers average parameters, in a step that does so.
BucketCost bucket_cost(const Training& training, const Bucket& bucket);

}  // namespace foretrain
