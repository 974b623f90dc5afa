// A changed training keeps its work.
#include "scenarios/resolve/equal_work.h"

#include "scenarios/resolve/prepared.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {

double planned(const std::string& training) {
  const std::string text = "foretrain: 1\ndataset: {take: 300}\ntraining: {" + training + "}\n";
  return planned_examples(*prepare(parse_scenario(text, "x").front(), Need::shape).training);
}

TEST_CASE("same work: examples are steps times workers times batch, whatever the length is of") {
  CHECK(planned("workers: 3, batch_size: 10, steps: 7") == 210);
  CHECK(planned("workers: 3, batch_size: 10, updates: 7") == 210);
  // Each worker has the same number of steps: three of them make nine updates.
  CHECK(planned("strategy: async, workers: 3, batch_size: 10, updates: 7") == 90);
  CHECK(planned("workers: 3, batch_size: 10, epochs: 2") == 600);
}

TEST_CASE("same work: more workers, larger batches take fewer steps, evaluations follow") {
  const Scenario before =
      only("foretrain: 1\ntraining: {workers: 2, batch_size: 10, steps: 30, evaluate_every: 8}\n");
  Scenario changed = before;
  changed.training.workers = 4;
  keep_examples(changed, before, 600);
  CHECK(changed.training.steps == 15);
  CHECK(changed.training.evaluate_every == 4);
  CHECK(set_batch(changed, 11).empty());
  keep_examples(changed, before, 600);
  CHECK(changed.training.steps == 14);  // 13 would be too few
}

TEST_CASE("same work: evaluations by examples are as far apart, whatever the batch") {
  const auto steps = [](const std::string& training) {
    const std::string text = "foretrain: 1\ndataset: {take: 300}\ntraining: {steps: 9, " +
                             training + ", evaluate_every: 240 examples}\n";
    return prepare(parse_scenario(text, "x").front(), Need::shape).training->evaluate_every;
  };
  CHECK(steps("workers: 3, batch_size: 10") == 8);
  CHECK(steps("workers: 3, batch_size: 20, accumulate: 2") == 2);
  CHECK(steps("workers: 3, batch_size: 100") == 1);
  CHECK(steps("strategy: async, workers: 2, batch_size: 10") == 12);
  CHECK(steps("strategy: local_sgd, local_steps: 4, workers: 3, batch_size: 10") == 8);
  CHECK(steps("workers: 3, backup_workers: 1, batch_size: 10") == 12);  // one gradient is late
  Scenario changed = only("foretrain: 1\ntraining: {steps: 9, evaluate_every: 240 examples}\n");
  const Scenario before = changed;
  CHECK(set_batch(changed, 16).empty());
  keep_examples(changed, before, 600);
  CHECK(changed.training.evaluate_every == 240);
}

}  // namespace
}  // namespace foretrain::testing
