// An inconsistent checkpoint is detected by resuming from it.
#include "tests/faults/cuts.h"

#include "models/protocol/ssp.h"
#include "reports/record/summary.h"
#include "tests/faults/envelope.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>

namespace foretrain::faults {
namespace {
using testing::KeptStates;
using testing::Shuffled;

/// A training with checkpoints, with the facts of its record that they are checked against.
struct Kept {
  std::shared_ptr<Training> training;
  KeptStates states;
  Record record;

  explicit Kept(const std::string& strategy)
      : training(testing::small_training(strategy, 2, 2, 9, Bytes{4'000})) {
    training->checkpoint.steps = 3;
    testing::set_option(training->options, "staleness", std::int64_t{0});
    Shuffled nodes = testing::run_shuffled(training, 1);
    states = std::move(nodes.kept);
    record.updates = nodes.updates;
    record.weights_sha256 = weights_sha256(nodes.weights);
    record.nodes.resize(static_cast<std::size_t>(training->nodes()));
    for (std::size_t i = 0; i < nodes.steps.size(); ++i) {
      record.steps.push_back({nodes.step_workers[i], nodes.steps[i]});
    }
  }

  [[nodiscard]] std::string wrong() const {
    try {
      check_cuts(states, training, record, record);
    } catch (const Broken& broken) {
      return broken.what();
    }
    return "";
  }
};

TEST_CASE("cuts: nothing is said of those that are whole, or were given up") {
  const std::string strategy = GENERATE("sync", "ssp", "async");
  CAPTURE(strategy);
  Kept kept(strategy);
  REQUIRE(kept.states.cuts.size() >= 2);
  CHECK(kept.wrong() == "");
  auto& states = kept.states.cuts.begin()->second.states;
  std::swap(states.at(0), states.at(1));
  states.erase(2);  // a node has no part of it
  CHECK(kept.wrong() == "");
}

TEST_CASE("cuts: the state of a node from another cut is found") {
  const std::string strategy = GENERATE("sync", "ssp");
  const int node = GENERATE(0, 1, 2, 3);  // two workers, two servers
  CAPTURE(strategy, node);
  Kept kept(strategy);
  auto& cuts = kept.states.cuts;
  std::next(cuts.begin())->second.states.at(node) = cuts.begin()->second.states.at(node);
  CHECK(kept.wrong().find("going on from cut 6: ") == 0);
}

TEST_CASE("cuts: who ends with other weights, updates or the steps of before is found") {
  Kept other("sync");
  other.record.weights_sha256 = "0";
  CHECK(other.wrong() == "going on from cut 3: other weights than without faults");
  other = Kept("sync");
  ++other.record.updates;
  CHECK(other.wrong() == "going on from cut 3: 9 updates are made, 10 without faults");
  other = Kept("sync");
  other.states.cuts.at(3).reported.at(1) = 5;
  CHECK(other.wrong() == "going on from cut 3: worker1 makes step 2 again");
  other = Kept("sync");
  other.states.moved = 1;
  CHECK(other.wrong() == "a state changed while it was kept, or is of another size");
}

}  // namespace
}  // namespace foretrain::faults
