// Trainings that do the same work, that train the same numbers.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/spec/scenario.h"

#include <optional>
#include <string>

namespace foretrain {

/// Examples whose gradients count, over the whole length of the training.
double planned_examples(const Training& training);

/// Changes the length of `changed` so that it trains on so many examples, its evaluations as far
/// apart as those of `before`.
void keep_examples(Scenario& changed, const Scenario& before, double examples);

/// So many examples a gradient. Returns why it cannot be; empty: it is done.
std::string set_batch(Scenario& scenario, int batch_size);

/// A key that two scenarios differ in, with what each says of it; empty: nothing.
struct Difference {
  std::string key;
  std::string first;
  std::string second;
};

/// The first key that decides what is computed and is not the same in both: all but names, where
/// and how fast it runs, how many servers share the parameters, what becomes of nodes, how many
/// checkpoints stay. Where `algorithm: auto` goes by the cluster's links, that is compared, too.
std::optional<Difference> difference_in_training(const Scenario& first, const Scenario& second);

/// The first key, of all but the question, which is for people, that is not the same in both.
std::optional<Difference> difference_in_scenario(const Scenario& first, const Scenario& second);

}  // namespace foretrain
