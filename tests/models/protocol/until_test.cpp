// Trainings that end at a target: their length, their weights.
#include "models/networks/registry.h"
#include "models/protocol/all_reduce.h"
#include "models/protocol/backup.h"
#include "models/protocol/sync.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

namespace {

// Long enough for the loss to pass 1.9 without a target.
constexpr std::int64_t kSteps = 40;
constexpr Target kTarget{.accuracy = 0, .loss = 1.9};

struct Setup {
  std::string strategy;
  int workers = 1;
  int servers = 0;
  Bytes bucket_size{1'000'000};
  int backups = 0;
  int staleness = 0;
};

std::shared_ptr<Training> training_of(const Setup& setup, const Target& target) {
  auto training =
      small_training(setup.strategy, setup.workers, setup.servers, kSteps, setup.bucket_size);
  if (setup.strategy == "all_reduce") {
    training->dense = true;
    training->layout = std::make_shared<Layout>(
        make_round_robin_layout(training->network->parameters(), setup.bucket_size, setup.workers));
  }
  set_option(training->options, "backup_workers", setup.backups);
  set_option(training->options, "staleness", setup.staleness);
  training->updates = kSteps;
  training->evaluate_every = 2;
  training->target = target;
  return training;
}

// Three layers, large enough to be separate stages; bucket bounds differ from layer bounds.
std::shared_ptr<Training> deep_training(const std::string& strategy, int workers = 3) {
  const Bytes size{10'000};
  const int servers = strategy == "all_reduce" ? 0 : 2;
  auto training = training_of({strategy, workers, servers, size}, kTarget);
  NetworkOptions options;
  options.hidden = {480, 360};
  training->network =
      std::make_shared<const Network>(network_spec("mlp", options), training->data->train->shape());
  const std::int64_t parameters = training->network->parameters();
  training->layout =
      std::make_shared<Layout>(servers > 0 ? make_layout(parameters, size, servers)
                                           : make_round_robin_layout(parameters, size, workers));
  training->small_share = {1'000'000};
  // Single gradients of three workers move three times as far as their mean.
  training->optimizer = make_optimizer({.learning_rate = strategy == "ssp" ? 0.1 : 0.3});
  return training;
}

bool reached(const EvalReport& eval) { return kTarget.reached(eval.loss, eval.accuracy); }

/// The evaluation that met the target is the last one before the final one.
void check_end(const Shuffled& run, const Training& training) {
  REQUIRE(run.faults.empty());
  REQUIRE(run.finished == training.nodes());
  REQUIRE(run.evals.size() >= 2);
  CHECK(run.evals.back().final);
  CHECK(reached(run.evals[run.evals.size() - 2]));
  for (std::size_t i = 0; i + 2 < run.evals.size(); ++i) CHECK_FALSE(reached(run.evals[i]));
  CHECK(run.gradients == static_cast<std::int64_t>(run.steps.size()));
  CHECK(run.gradients < kSteps * training.workers);
}

std::vector<Setup> in_order() {
  return {{"single"},
          {"sync", 1, 1},
          {"sync", 3, 1},
          {"sync", 3, 3, Bytes{4'000}},
          {"ssp", 3, 1},
          {"ssp", 3, 2, Bytes{4'000}},
          {"all_reduce", 1},
          {"all_reduce", 2, 0, Bytes{4'000}},
          {"all_reduce", 3, 0, Bytes{4'000}},
          {"all_reduce", 5},
          {"all_reduce", 8, 0, Bytes{4'000}}};
}

std::vector<Setup> in_any_order() {
  return {{"async", 3, 1},
          {"async", 3, 3, Bytes{4'000}},
          {"ssp", 3, 2, Bytes{4'000}, 0, 2},
          {"sync", 3, 1, Bytes{8'000}, 1},
          {"sync", 4, 3, Bytes{4'000}, 2}};
}

}  // namespace

TEST_CASE("until: a strategy with an order ends at the weights of as many steps, in any timing") {
  const auto setups = in_order();
  const Setup& setup = setups[GENERATE_COPY(range(std::size_t{0}, setups.size()))];
  CAPTURE(setup.strategy, setup.workers, setup.servers, setup.bucket_size.value);
  std::int64_t steps = 0;
  std::vector<float> weights;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    const auto training = training_of(setup, kTarget);
    Shuffled run(training, seed);
    run.run();
    check_end(run, *training);
    if (seed == 1) {
      steps = run.evals.back().step.value;
      REQUIRE(steps > training->evaluate_every);  // not the first evaluation
      auto plain = training_of(setup, {});
      plain->steps = steps;
      Shuffled as_many(plain, 1);
      as_many.run();
      CHECK(run.updates == as_many.updates);
      weights = as_many.weights;
    }
    CHECK(run.evals.back().step.value == steps);
    CHECK(run.gradients == steps * setup.workers);
    REQUIRE_FALSE(run.weights.empty());
    CHECK(run.weights == weights);
  }
}

TEST_CASE("until: a strategy without an order ends, with every counted gradient reported once") {
  const auto setups = in_any_order();
  const Setup& setup = setups[GENERATE_COPY(range(std::size_t{0}, setups.size()))];
  CAPTURE(setup.strategy, setup.workers, setup.servers, setup.backups);
  const auto training = training_of(setup, kTarget);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Shuffled run(training, seed);
    run.run();
    check_end(run, *training);
    CHECK(run.updates == run.evals.back().version.value);
  }
}

TEST_CASE("until: a target that is not reached changes nothing") {
  auto setups = in_order();
  const auto others = in_any_order();
  setups.insert(setups.end(), others.begin(), others.end());
  const Setup& setup = setups[GENERATE_COPY(range(std::size_t{0}, setups.size()))];
  CAPTURE(setup.strategy, setup.workers, setup.servers, setup.backups);
  Shuffled free(training_of(setup, {}), 3);
  Shuffled aiming(training_of(setup, {.accuracy = 1, .loss = 1e-3}), 3);
  free.run();
  aiming.run();
  REQUIRE(aiming.faults.empty());
  REQUIRE_FALSE(aiming.weights.empty());
  CHECK(aiming.weights == free.weights);
  CHECK(aiming.updates == free.updates);
  CHECK(aiming.evals.size() == free.evals.size());
}

TEST_CASE("until: accuracy is a target as good as loss, and the first that is reached counts") {
  const Target target = GENERATE(Target{.accuracy = 0.5}, Target{.accuracy = 0.5, .loss = 0.1},
                                 Target{.accuracy = 1, .loss = 1.9});
  const auto training = training_of({"sync", 2, 1}, target);
  Shuffled run(training, 1);
  run.run();
  REQUIRE(run.evals.size() >= 2);
  REQUIRE(run.evals.size() < kSteps / 2);
  for (std::size_t i = 0; i + 1 < run.evals.size(); ++i) {
    const EvalReport& eval = run.evals[i];
    const bool last = i + 2 == run.evals.size();
    CHECK(target.reached(eval.loss, eval.accuracy) == last);
  }
}

TEST_CASE("until: buckets that overlap with backpropagation end alike") {
  const auto [strategy, workers] = GENERATE(table<std::string, int>(
      {{"sync", 3}, {"ssp", 3}, {"all_reduce", 3}, {"all_reduce", 4}}));  // over a hypercube
  CAPTURE(strategy, workers);
  auto training = deep_training(strategy, workers);
  training->overlap = false;
  Shuffled joined(training, 1);
  joined.run();
  check_end(joined, *training);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    training = deep_training(strategy, workers);
    Shuffled run(training, seed);
    run.run();
    check_end(run, *training);
    CHECK(run.weights == joined.weights);
  }
}

TEST_CASE("until: in a ring who has begun its next step early still passes the last values on") {
  auto training = deep_training("all_reduce");
  training->evaluate_every = 1;
  training->target = {.accuracy = 0, .loss = 100};  // at once
  // A bucket of the last layer, forwarded by worker 1 from the chief: the next step begins without
  // it.
  auto bucket = static_cast<std::uint32_t>(training->layout->buckets.size() - 1);
  while (training->layout->buckets[bucket].shard != 0) --bucket;
  const auto late = [bucket](int to, const Message& message) {
    return to == 1 && message.kind == MessageKind::parameters && message.bucket == bucket;
  };
  int early = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Shuffled run(training, seed);
    run.late = late;
    run.run();
    REQUIRE(run.faults.empty());
    CHECK(run.finished == 3);
    CHECK(run.steps.size() == 3);
    early += run.begun[1] == 2 ? 1 : 0;
  }
  CHECK(early > 0);
}

TEST_CASE("until: a worker lost before the end does not hold it up") {
  const Setup setup =
      GENERATE(Setup{"async", 4, 2, Bytes{8'000}}, Setup{"ssp", 4, 2, Bytes{8'000}, 0, 1},
               Setup{"sync", 4, 2, Bytes{8'000}, 1});
  CAPTURE(setup.strategy);
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const auto training = training_of(setup, kTarget);
    Shuffled run(training, seed);
    run.lose_after(60 + static_cast<int>(seed) * 12, 2);
    run.run();
    // With backups, a chosen gradient may be lost on its way to a shard; then all are stuck.
    if (setup.backups > 0 && !run.faults.empty()) continue;
    REQUIRE(run.faults.empty());
    CHECK(reached(run.evals[run.evals.size() - 2]));
    ++ended;
  }
  CHECK(ended > 0);
}

TEST_CASE("until: only the chief says that it is enough, only once, of what it has judged") {
  const auto enough = [](std::int64_t step) {
    return Message{.kind = MessageKind::enough, .step = {step}};
  };
  const auto is_fault = [](Node& node, NodeId from, const Message& message) {
    Effects effects;
    node.handle({}, Received{from, message}, effects);
    return effects.size() == 1 && std::holds_alternative<Fault>(effects.front());
  };
  const std::string strategy = GENERATE("sync", "async", "ssp");
  CAPTURE(strategy);
  const auto training = training_of({strategy, 2, 2, Bytes{8'000}}, kTarget);
  CHECK(is_fault(*make_node(training, training->server(1)), NodeId(1), enough(0)));
  if (strategy != "sync") return;
  CHECK(is_fault(*make_node(training, training->server(0)), NodeId(0), enough(1)));
  // With backups only shard 0 receives it.
  const auto backed = training_of({"sync", 3, 2, Bytes{8'000}, 1}, kTarget);
  CHECK(is_fault(*make_node(backed, backed->server(0)), NodeId(1), enough(0)));
  CHECK(is_fault(*make_node(backed, backed->server(1)), NodeId(0), enough(0)));
  const auto ring = training_of({"all_reduce", 5}, kTarget);
  AllReduceWorker worker(ring, NodeId(1));
  Effects begun;
  worker.handle({}, Started{}, begun);
  CHECK(is_fault(worker, NodeId(0), enough(0)));  // before any step
  CHECK(is_fault(worker, NodeId(0), enough(2)));  // a future step
  CHECK(is_fault(worker, NodeId(3), enough(1)));  // not a neighbour
  CHECK_FALSE(is_fault(worker, NodeId(0), enough(1)));
  CHECK(is_fault(worker, NodeId(2), enough(3)));  // another end than the known one
}
