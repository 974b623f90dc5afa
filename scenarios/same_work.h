// Changes of a training that leave it as much work.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/scenario.h"

#include <string>

namespace foretrain {

/// Examples whose gradients count, over the whole length of the training.
double planned_examples(const Training& training);

/// Changes the length of `changed` so that it trains on so many examples, its evaluations as far
/// apart as those of `before`.
void keep_examples(Scenario& changed, const Scenario& before, double examples);

/// So many examples a gradient. Returns why it cannot be; empty: it is done.
std::string set_batch(Scenario& scenario, int batch_size);

}  // namespace foretrain
