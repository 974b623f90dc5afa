// Comparison of trainings by the work that they do.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/spec/scenario.h"

#include <optional>
#include <string>

namespace foretrain {

/// Number of examples whose gradients count, over the whole training.
double planned_examples(const Training& training);

/// Sets the length of `changed` to this many examples, with evaluations as many examples apart as
/// in `before`.
void keep_examples(Scenario& changed, const Scenario& before, double examples);

/// Sets the batch size. Returns the reason if that is impossible, else an empty text.
std::string set_batch(Scenario& scenario, int batch_size);

/// A key that two scenarios differ in, with its value in each; empty if the key is absent.
struct Difference {
  std::string key;
  std::string first;
  std::string second;
};

/// The first key that affects the result of the computation and differs. Names, placement, speed,
/// the number of servers, faults, and the number of checkpoints kept do not affect it. The
/// cluster's links do if `algorithm: auto` depends on them.
std::optional<Difference> difference_in_training(const Scenario& first, const Scenario& second);

/// The first key that differs, except `question`.
std::optional<Difference> difference_in_scenario(const Scenario& first, const Scenario& second);

}  // namespace foretrain
