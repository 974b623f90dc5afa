// A training that resumes from a checkpoint gives the same result.
#include "models/protocol/checkpoint_rule.h"
#include "models/protocol/server_cut.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

namespace foretrain {
namespace {
using testing::KeptCut;
using testing::run_shuffled;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

std::shared_ptr<Training> kept_training(const std::string& strategy, int workers, int servers,
                                        std::int64_t steps) {
  const Bytes bucket_size{strategy == "single" ? 1'000'000 : 4'000};
  auto training = small_training(strategy, workers, servers, steps, bucket_size);
  training->optimizer = make_optimizer({.name = "adam", .learning_rate = 0.01});
  training->evaluate_every = 2;
  set_option(training->options, "staleness", std::int64_t{0});
  set_option(training->options, "local_steps", std::int64_t{3});
  set_option(training->options, "outer.name", std::string("nesterov"));
  return training;
}

/// Checks that each step of a worker occurs once, before the checkpoint or after the resumption.
std::set<std::pair<int, std::int64_t>> steps_around(const Shuffled& before, const KeptCut& cut,
                                                    const Shuffled& after) {
  std::set<std::pair<int, std::int64_t>> steps;
  for (std::size_t i = 0; i < before.steps.size(); ++i) {
    const int worker = before.step_workers[i];
    const std::int64_t step = before.steps[i].step.value;
    if (step < cut.reported.at(worker)) CHECK(steps.emplace(worker, step).second);
  }
  for (std::size_t i = 0; i < after.steps.size(); ++i) {
    CHECK(steps.emplace(after.step_workers[i], after.steps[i].step.value).second);
  }
  return steps;
}

struct KeptShape {
  std::string strategy;
  int workers;
  int servers;
};

TEST_CASE("checkpoint: who goes on from any cut ends with the same bits, each step reported once") {
  const auto shape = GENERATE(
      KeptShape{"single", 1, 0}, KeptShape{"sync", 3, 1}, KeptShape{"sync", 2, 3},
      KeptShape{"ssp", 3, 1}, KeptShape{"ssp", 2, 2}, KeptShape{"all_reduce", 3, 0},
      KeptShape{"all_reduce", 4, 0}, KeptShape{"all_reduce", 1, 0}, KeptShape{"local_sgd", 3, 0},
      KeptShape{"local_sgd", 4, 0}, KeptShape{"local_sgd", 1, 0}, KeptShape{"gather_scatter", 3, 0},
      KeptShape{"gather_scatter", 1, 0});
  const bool by_time = GENERATE(false, true);
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(shape.strategy, shape.workers, shape.servers, by_time, seed);
  const std::int64_t steps = 11;
  const auto plain = kept_training(shape.strategy, shape.workers, shape.servers, steps);
  const Shuffled expected = run_shuffled(plain, seed);
  const auto training = kept_training(shape.strategy, shape.workers, shape.servers, steps);
  if (by_time) {
    training->checkpoint.time = Duration{1};
  } else {
    training->checkpoint.steps = 2;
  }
  const Shuffled kept = run_shuffled(training, seed + 10);
  CHECK(kept.weights == expected.weights);
  CHECK(kept.steps.size() == static_cast<std::size_t>(steps * shape.workers));
  if (!by_time) CHECK(kept.kept.cuts.size() == (shape.strategy == "local_sgd" ? 3U : 5U));
  CHECK(!kept.kept.cuts.empty());
  for (const auto& [cut, states] : kept.kept.cuts) {
    CAPTURE(cut);
    REQUIRE(static_cast<int>(states.states.size()) == training->nodes());
    const Shuffled resumed = run_shuffled(training, seed + 20, &states);
    CHECK(resumed.weights == expected.weights);
    CHECK(resumed.updates == expected.updates);
    CHECK(resumed.gradients == expected.gradients);
    CHECK(states.evaluated + std::ssize(resumed.evals) == std::ssize(expected.evals));
    CHECK(steps_around(kept, states, resumed).size() ==
          static_cast<std::size_t>(steps * shape.workers));
  }
}

/// The same for a network with statistics.
std::shared_ptr<Training> normed_training(const std::string& strategy, int workers, int servers) {
  auto training = kept_training(strategy, workers, servers, 12);
  const NetworkSpec spec{
      {{.kind = "dense", .units = 6}, {.kind = "batch_norm"}, {.kind = "relu"}, {.kind = "dense"}}};
  training->network = std::make_shared<const Network>(spec, training->data->train->shape());
  const std::int64_t parameters = training->network->parameters();
  const Bytes bucket_size{strategy == "single" ? 1'000'000 : 4'000};
  training->layout = std::make_shared<Layout>(
      servers == 0 && workers > 1 ? make_round_robin_layout(parameters, bucket_size, workers)
                                  : make_layout(parameters, bucket_size, std::max(1, servers)));
  return training;
}

TEST_CASE("checkpoint: running statistics go on, so evaluations find the same") {
  const auto shape = GENERATE(KeptShape{"single", 1, 0}, KeptShape{"sync", 3, 1},
                              KeptShape{"ssp", 2, 2}, KeptShape{"all_reduce", 3, 0},
                              KeptShape{"local_sgd", 3, 0}, KeptShape{"gather_scatter", 3, 0});
  CAPTURE(shape.strategy);
  const Shuffled expected =
      run_shuffled(normed_training(shape.strategy, shape.workers, shape.servers), 1);
  const auto training = normed_training(shape.strategy, shape.workers, shape.servers);
  training->checkpoint.steps = 3;
  const Shuffled kept = run_shuffled(training, 11);
  CHECK(kept.kept.moved == 0);
  REQUIRE(!kept.kept.cuts.empty());
  for (const auto& [cut, states] : kept.kept.cuts) {
    CAPTURE(cut);
    const Shuffled resumed = run_shuffled(training, 21, &states);
    CHECK(resumed.weights == expected.weights);
    REQUIRE(!resumed.evals.empty());
    REQUIRE(states.evaluated + std::ssize(resumed.evals) == std::ssize(expected.evals));
    for (std::size_t i = 0; i < resumed.evals.size(); ++i) {
      const EvalReport& other = expected.evals[static_cast<std::size_t>(states.evaluated) + i];
      CHECK(resumed.evals[i].loss == other.loss);
    }
  }
}

TEST_CASE("checkpoint: asynchronous workers go on with each gradient applied once a shard") {
  const std::string strategy = GENERATE("async", "ssp");
  const std::string quota = GENERATE("own", "shared");
  const int servers = GENERATE(1, 3);
  const bool by_time = GENERATE(false, true);
  CAPTURE(strategy, quota, servers, by_time);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const auto training = kept_training(strategy, 3, servers, 12);
    set_option(training->options, "staleness", std::int64_t{1});
    set_option(training->options, "quota", quota);
    if (by_time) {
      training->checkpoint.time = Duration{1};
    } else {
      training->checkpoint.steps = 3;
    }
    const Shuffled kept = run_shuffled(training, seed);
    CHECK(kept.gradients == 36);
    CHECK(!kept.kept.cuts.empty());
    for (const auto& [cut, states] : kept.kept.cuts) {
      CAPTURE(cut);
      REQUIRE(static_cast<int>(states.states.size()) == training->nodes());
      const Shuffled resumed = run_shuffled(training, seed + 20, &states);
      CHECK(resumed.gradients == 36);
      CHECK(resumed.updates == 36);
      const auto steps = steps_around(kept, states, resumed);
      CHECK(std::ssize(steps) == 36);
      if (quota != "own") continue;
      for (int worker = 0; worker < 3; ++worker) CHECK(steps.contains({worker, 11}));
    }
  }
}

TEST_CASE("checkpoint: with backup workers all wait at a cut, and go on with as many updates") {
  const int servers = GENERATE(1, 3);
  const bool by_time = GENERATE(false, true);
  CAPTURE(servers, by_time);
  std::int64_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const auto training = kept_training("sync", 4, servers, 12);
    set_option(training->options, "backup_workers", std::int64_t{1});
    training->updates = 12;
    if (by_time) {
      training->checkpoint.time = Duration{1};
    } else {
      training->checkpoint.steps = 3;
    }
    const Shuffled kept = run_shuffled(training, seed);
    CHECK(kept.updates == 12);
    CHECK(kept.gradients == 36);
    if (!by_time) CHECK(kept.kept.cuts.size() == 3);
    CHECK(!kept.kept.cuts.empty());
    dropped += kept.dropped;
    for (const auto& [cut, states] : kept.kept.cuts) {
      CAPTURE(cut);
      REQUIRE(static_cast<int>(states.states.size()) == training->nodes());
      const Shuffled resumed = run_shuffled(training, seed + 20, &states);
      CHECK(resumed.updates == 12);
      CHECK(resumed.gradients == 36);
      steps_around(kept, states, resumed);  // no step of a worker twice
    }
  }
  CHECK(dropped > 0);
}

TEST_CASE("checkpoint: with backup workers one may be lost at any time, also at a cut") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto training = kept_training("sync", 3, 1, 12);
    set_option(training->options, "backup_workers", std::int64_t{1});
    training->updates = 12;
    training->checkpoint.steps = 2;
    Shuffled nodes(training, seed);
    nodes.lose_after(20 + 5 * static_cast<int>(seed), 2);
    nodes.run();
    CHECK(nodes.faults.empty());
    CHECK(nodes.finished >= training->nodes() - 1);
    CHECK(nodes.updates == 12);
  }
}

TEST_CASE(
    "checkpoint: a worker that is lost before all wait makes the cut none, the rest goes on") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const auto training = kept_training("async", 3, 2, 12);
    training->checkpoint.steps = 2;
    Shuffled nodes(training, seed);
    nodes.lose_after(40 + 7 * static_cast<int>(seed), 2);
    nodes.run();
    CHECK(nodes.faults.empty());
    CHECK(nodes.finished >= training->nodes() - 1);
    CHECK(nodes.gradients == 36);
  }
}

TEST_CASE("checkpoint: a stale state among newer ones is found at once") {
  const auto shape = GENERATE(KeptShape{"sync", 2, 1}, KeptShape{"ssp", 2, 1},
                              KeptShape{"all_reduce", 3, 0}, KeptShape{"all_reduce", 4, 0},
                              KeptShape{"local_sgd", 3, 0}, KeptShape{"gather_scatter", 3, 0});
  const int stale = GENERATE(0, 1, 2);  // may be a server
  CAPTURE(shape.strategy, stale);
  const auto training = kept_training(shape.strategy, shape.workers, shape.servers, 12);
  training->checkpoint.steps = 3;
  const Shuffled kept = run_shuffled(training, 1);
  KeptCut mixed = kept.kept.cuts.at(6);
  mixed.states[stale] = kept.kept.cuts.at(3).states.at(stale);
  Shuffled nodes(training, 2, &mixed);
  nodes.run();
  CHECK(!nodes.faults.empty());
}

TEST_CASE("checkpoint: a state of another training is refused") {
  const auto training = kept_training("sync", 2, 1, 6);
  training->checkpoint.steps = 2;
  const Shuffled kept = run_shuffled(training, 1);
  const std::string& server = kept.kept.cuts.at(2).states.at(2);
  const auto restore = [](const std::shared_ptr<Training>& into, const std::string& bytes) {
    StateReader state(bytes);
    make_node(into, NodeId(2))->restore(state);
  };
  CHECK_NOTHROW(restore(training, server));
  CHECK_THROWS_AS(restore(training, server.substr(0, server.size() - 1)), StateError);
  CHECK_THROWS_AS(restore(training, server + "x"), StateError);
  const auto other = kept_training("sync", 2, 1, 6);
  other->optimizer = make_optimizer({.learning_rate = 0.3});
  CHECK_THROWS_AS(restore(other, server), StateError);
}

/// The node's error if the integer at `place` of its state is replaced.
std::string said_of(const KeptShape& shape, int node, std::size_t place, std::int64_t number) {
  const auto training = kept_training(shape.strategy, shape.workers, shape.servers, 6);
  training->checkpoint.steps = 2;
  std::string bytes = run_shuffled(training, 1).kept.cuts.begin()->second.states.at(node);
  std::memcpy(bytes.data() + 8 * place, &number, sizeof number);
  StateReader state(bytes);
  try {
    make_node(training, NodeId(node))->restore(state);
  } catch (const StateError& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("checkpoint: a state with the counts of no cut is refused, whatever its hash says") {
  const std::int64_t many = std::int64_t{1} << 31;
  const KeptShape sync{"sync", 2, 1};
  const KeptShape async{"async", 2, 1};
  const KeptShape ring{"all_reduce", 2, 0};
  const KeptShape local{"local_sgd", 2, 0};
  CHECK(said_of(sync, 0, 0, 2) == "nothing");
  // A worker's numbers: steps, its index, batches. Such a number would need hours of shuffling.
  for (const std::size_t place : {0U, 1U, 2U}) {
    CHECK(said_of(sync, 0, place, many) == "it has a number that is out of range");
  }
  // A server's numbers: the last update, then for each bucket its version and examples.
  CHECK(said_of(sync, 2, 1, 6) == kNoCut);  // there is no checkpoint at the end
  CHECK(said_of(sync, 2, 1, 3) == kNoCut);  // other buckets are at 2
  CHECK(said_of(sync, 2, 2, std::int64_t{1} << 62) == "it has a number that is out of range");
  CHECK(said_of(async, 2, 3, 12) == kNoCut);  // its clocks have another sum
  CHECK(said_of(KeptShape{"single", 1, 0}, 0, 2, 6) == kNoCut);
  // Numbers of a collective's worker: steps, rounds.
  CHECK(said_of(ring, 0, 0, 3) == kNoCut);
  CHECK(said_of(ring, 0, 1, 1) == kNoCut);
  CHECK(said_of(local, 0, 0, 4) == kNoCut);
}

TEST_CASE("checkpoint: cuts are the first steps after multiples, or after the timer") {
  Cuts by_steps({.steps = 500, .time = {}});
  CHECK(!by_steps.is_due(499));
  CHECK(by_steps.is_due(500));
  CHECK(by_steps.is_due(512));  // the end of a local SGD round
  by_steps.take(512);
  CHECK(!by_steps.is_due(999));
  CHECK(by_steps.is_due(1000));
  by_steps.begin_at(1000);
  CHECK(!by_steps.is_due(1000));

  Cuts by_time({.steps = 0, .time = Duration{1}});
  CHECK(by_time.wants_timer());
  CHECK(!by_time.is_due(7));
  by_time.rang();
  CHECK(by_time.is_due(7));
  by_time.take(7);
  CHECK(!by_time.is_due(8));
}

}  // namespace
}  // namespace foretrain
