// A training that changes keeps its work.
#include "scenarios/same_work.h"

#include "scenarios/prepared.h"
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
  // Each worker has as many steps: three of them make nine updates.
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
  CHECK(changed.training.steps == 14);  // 13 would leave some out
}

}  // namespace
}  // namespace foretrain::testing
