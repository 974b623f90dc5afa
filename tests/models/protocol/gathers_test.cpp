// Sharded parameters: gathers of stages, weights of an all-reduce, memory.
#include "models/protocol/gathers.h"

#include "models/graph/node_memory.h"
#include "models/networks/registry.h"
#include "models/protocol/registry.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace foretrain {
namespace {

using Indices = std::vector<std::uint32_t>;

// Three layers, large enough to be separate stages; bucket bounds differ from layer bounds.
std::shared_ptr<Training> gathered_training(int workers) {
  auto training = testing::small_training("all_reduce", workers, 0, 4);
  NetworkOptions options;
  options.hidden = {480, 360};
  training->network =
      std::make_shared<const Network>(network_spec("mlp", options), training->data->train->shape());
  training->layout = std::make_shared<Layout>(
      make_round_robin_layout(training->network->parameters(), Bytes{10'000}, workers));
  training->dense = true;
  training->sharded = Sharded::parameters;
  return training;
}

/// Layers of 1,000 parameters with 1 ms forward, 2 ms backward, two buckets each.
std::shared_ptr<Training> gathered_profile(int layers) {
  NetworkProfile profile{{}, 32};
  profile.layers.reserve(static_cast<std::size_t>(layers));
  for (int i = 0; i < layers; ++i) {
    profile.layers.push_back({"layer" + std::to_string(i), 1'000, 1e-3, 2e-3});
  }
  auto training = std::make_shared<Training>();
  training->protocol = &protocol_called("all_reduce");
  training->workers = 2;
  training->servers = 0;
  training->batch_size = 32;
  training->network = std::make_shared<const Network>(profile);
  training->optimizer = make_optimizer({});
  training->layout = std::make_shared<const Layout>(
      make_round_robin_layout(training->network->parameters(), Bytes{2'000}, 2));
  training->dense = true;
  training->numerics = false;
  training->sharded = Sharded::parameters;
  return training;
}

TEST_CASE("gathers: a stage needs what the one before it has not read") {
  const auto stages = gradient_stages(*gathered_profile(3));
  REQUIRE(stages.size() == 5);
  CHECK(stages[0].needs == Indices{0, 1});
  CHECK(stages[1].needs == Indices{2, 3});
  CHECK(stages[2].needs == Indices{4, 5});  // for both passes
  CHECK(stages[3].needs == Indices{2, 3});
  CHECK(stages[4].needs == Indices{0, 1});
  CHECK(stages[1].buckets.empty());
  CHECK(stages[2].buckets == Indices{4, 5});
  CHECK(stages[4].buckets == Indices{0, 1});
}

TEST_CASE("gathers: each batch of a gradient gathers anew, the last one sends gradients") {
  auto training = gathered_profile(3);
  training->accumulate = 2;
  const auto stages = gradient_stages(*training);
  REQUIRE(stages.size() == 10);
  for (std::size_t i = 0; i < 5; ++i) CHECK(stages[i].buckets.empty());
  CHECK(stages[5].needs.empty());  // the backward pass ended at the first layer
  CHECK(stages[6].needs == Indices{2, 3});
  CHECK(stages[9].needs == Indices{0, 1});
  CHECK(stages[9].buckets == Indices{0, 1});
}

TEST_CASE("gathers: buckets that are reduced together are gathered together") {
  auto training = gathered_profile(4);
  // Two layers per bucket, from the last one, in pieces.
  training->layout = std::make_shared<const Layout>(
      make_ddp_layout({1'000, 1'000, 1'000, 1'000}, Bytes{8'000}, Bytes{2'000}, 2));
  training->forward_waits = true;
  const auto stages = gradient_stages(*training);
  REQUIRE(stages.size() == 3);
  CHECK(stages[0].needs == Indices{0, 1, 2, 3});
  CHECK(stages[1].needs == Indices{4, 5, 6, 7});
  CHECK(stages[2].needs == Indices{0, 1, 2, 3});
}

TEST_CASE("gathers: a stage of everything gathers everything once") {
  auto training = gathered_profile(3);
  training->overlap = false;
  const auto stages = gradient_stages(*training);
  REQUIRE(stages.size() == 1);
  CHECK(stages[0].needs.size() == 6);
}

TEST_CASE("gathers: the weights are those of an all-reduce in any order of arrival") {
  const auto [workers, accumulate, every] = GENERATE(table<int, int, int>(
      {{1, 1, 0}, {2, 1, 0}, {3, 1, 2}, {4, 1, 1}, {2, 3, 0}, {3, 2, 1}, {5, 1, 3}}));
  CAPTURE(workers, accumulate, every);
  const auto gathered = gathered_training(workers);
  gathered->accumulate = accumulate;
  gathered->evaluate_every = every;
  if (workers > 1) REQUIRE(gradient_stages(*gathered).size() > 2);
  const auto plain = std::make_shared<Training>(*gathered);
  plain->sharded = Sharded::optimizer;
  const testing::Shuffled expected = testing::run_shuffled(plain, 1);
  REQUIRE(!expected.weights.empty());
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    CAPTURE(seed);
    testing::Shuffled shuffled(gathered, seed);
    shuffled.run();
    CHECK(shuffled.faults.empty());
    CHECK(shuffled.finished == workers);
    CHECK(shuffled.updates == expected.updates);
    CHECK(shuffled.evals.size() == expected.evals.size());
    CHECK(shuffled.weights == expected.weights);
  }
}

TEST_CASE("gathers: replicas end with the weights of an all-reduce in groups") {
  const auto [workers, parts, accumulate, every] =
      GENERATE(table<int, int, int, int>({{4, 2, 1, 0}, {6, 2, 1, 2}, {6, 3, 2, 0}}));
  CAPTURE(workers, parts, accumulate, every);
  const auto replicas = gathered_training(workers);
  testing::set_option(replicas->options, "group", std::int64_t{parts});
  replicas->parts = parts;
  replicas->accumulate = accumulate;
  replicas->evaluate_every = every;
  const auto plain = std::make_shared<Training>(*replicas);
  plain->sharded = Sharded::optimizer;
  const testing::Shuffled expected = testing::run_shuffled(plain, 1);
  REQUIRE(!expected.weights.empty());
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    CAPTURE(seed);
    testing::Shuffled shuffled(replicas, seed);
    shuffled.run();
    CHECK(shuffled.faults.empty());
    CHECK(shuffled.finished == workers);
    CHECK(shuffled.updates == expected.updates);
    CHECK(shuffled.weights == expected.weights);
  }
}

// Floats are added in another order: batches first, or workers first.
TEST_CASE("gathers: batches that are reduced one by one come to the mean over all") {
  const Sharded sharded = GENERATE(Sharded::gradients, Sharded::parameters);
  const auto [workers, accumulate] = GENERATE(table<int, int>({{2, 3}, {3, 2}, {4, 4}, {5, 3}}));
  CAPTURE(static_cast<int>(sharded), workers, accumulate);
  const auto plain = gathered_training(workers);
  plain->accumulate = accumulate;
  plain->sharded = sharded;
  const testing::Shuffled expected = testing::run_shuffled(plain, 1);
  const auto each = std::make_shared<Training>(*plain);
  each->reduces_batches = true;
  const testing::Shuffled first = testing::run_shuffled(each, 1);
  REQUIRE(first.weights.size() == expected.weights.size());
  for (std::size_t i = 0; i < first.weights.size(); ++i) {
    REQUIRE(first.weights[i] == Approx(expected.weights[i]).margin(1e-5));
  }
  CHECK(first.bytes_sent > expected.bytes_sent);
  for (std::uint64_t seed = 2; seed < 7; ++seed) {
    CAPTURE(seed);
    testing::Shuffled shuffled(each, seed);
    shuffled.run();
    CHECK(shuffled.faults.empty());
    CHECK(shuffled.finished == workers);
    CHECK(shuffled.weights == first.weights);
  }
}

TEST_CASE("gathers: a target ends it with the values that were evaluated") {
  const auto gathered = gathered_training(3);
  gathered->steps = 12;
  gathered->evaluate_every = 2;
  gathered->target = {.accuracy = 0, .loss = 100};  // met by the first evaluation
  const auto plain = std::make_shared<Training>(*gathered);
  plain->sharded = Sharded::optimizer;
  const testing::Shuffled expected = testing::run_shuffled(plain, 1);
  REQUIRE(expected.updates == 2);
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    CAPTURE(seed);
    testing::Shuffled shuffled(gathered, seed);
    shuffled.run();
    CHECK(shuffled.faults.empty());
    CHECK(shuffled.finished == 3);
    CHECK(shuffled.updates == 2);
    CHECK(shuffled.weights == expected.weights);
  }
}

TEST_CASE("gathers: values that nobody has to send are out of turn") {
  const auto training = gathered_training(2);
  const auto worker = make_node(training, NodeId{0});
  Effects effects;
  worker->handle({}, Started{}, effects);
  const auto send = [&](std::uint32_t bucket, std::int64_t gather, Bytes size) {
    Message message{.kind = MessageKind::parameters, .step = {gather}, .bucket = bucket};
    message.payload = Payload::allocate(size);
    effects.clear();
    worker->handle({}, Received{NodeId{1}, std::move(message)}, effects);
    return !effects.empty() && std::holds_alternative<Fault>(effects.front());
  };
  const auto& buckets = training->layout->buckets;
  REQUIRE(buckets[1].shard == 1);
  CHECK(send(0, 0, buckets[0].size()));        // its own bucket
  CHECK(send(1, 1, buckets[1].size()));        // the next gather's before the current one
  CHECK(send(1, 0, buckets[1].size() * 2));    // too long
  CHECK(send(1'000'000, 0, Bytes{4}));         // no such bucket
  CHECK_FALSE(send(1, 0, buckets[1].size()));  // the current gather's
}

// Two of eight layers are gathered at a time; each of two workers owns half.
TEST_CASE("gathers: a worker holds its own part and two layers") {
  constexpr std::int64_t kAll = 4 * 8'000;
  constexpr std::int64_t kInParts = kAll / 2 + 4 * 2'000;
  const auto training = gathered_profile(8);
  CHECK(read_by_two_stages(*training) == Bytes{4 * 2'000});
  CHECK(made_by_two_stages(*training) == Bytes{4 * 2'000});
  const auto memory = [&](Sharded sharded) {
    training->sharded = sharded;
    return node_memory(*training, {}, NodeId{1});
  };
  const NodeMemory whole = memory(Sharded::optimizer);
  const NodeMemory gradients = memory(Sharded::gradients);
  const NodeMemory parameters = memory(Sharded::parameters);
  CHECK(whole.learned == Bytes{kAll});
  CHECK(gradients.learned == Bytes{kAll});
  CHECK(parameters.learned == Bytes{kInParts});
  CHECK(whole.step - parameters.step == Bytes{kAll - kInParts});
  CHECK(gradients.step == parameters.step);
  // Batches are added before the exchange.
  training->accumulate = 2;
  CHECK(memory(Sharded::parameters).step == memory(Sharded::optimizer).step);
}

}  // namespace
}  // namespace foretrain
