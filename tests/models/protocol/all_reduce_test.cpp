// All-reduce: weights, order of arrival, message counts, invalid messages.
#include "models/protocol/all_reduce.h"

#include "models/data/sampler.h"
#include "models/networks/registry.h"
#include "models/tensor/half.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>

using namespace foretrain;
using testing::Shuffled;
using testing::small_training;

namespace {

std::shared_ptr<Training> ring_training(int workers, std::int64_t steps, Bytes chunk,
                                        const Trees& trees = {}) {
  auto training = small_training("all_reduce", workers, 0, steps);
  training->dense = true;
  training->layout = std::make_shared<Layout>(
      make_round_robin_layout(training->network->parameters(), chunk, workers, trees));
  return training;
}

/// The contribution of each worker, with the rounding of a message.
struct Sums {
  std::function<float(int)> mine;
  bool halves = false;

  [[nodiscard]] float sent(float sum) const { return halves ? from_half(to_half(sum)) : sum; }
};

float round_the_ring(int workers, int owner, const Sums& of) {
  float sum = of.mine((owner + 1) % workers);
  for (int turn = 2; turn <= workers; ++turn) {
    sum = of.sent(sum) + of.mine((owner + turn) % workers);
  }
  return sum;
}

// Each group uses a ring to the member in the owner's place; these members use a ring between
// groups.
float over_groups(const Training& training, int owner, const Sums& of) {
  const auto group = static_cast<int>(training.options.integer(kGroup));
  const auto of_group = [&](int number) {
    const auto member = [&](int place) { return of.mine(number * group + place); };
    return round_the_ring(group, owner % group, {member, of.halves});
  };
  return round_the_ring(training.workers / group, owner / group, {of_group, of.halves});
}

// The sum of recursive halving at the worker at `distance` from the owner: the farthest half is
// added first, to the worker's own part.
float halved(int workers, int owner, int distance, const Sums& of) {
  float sum = of.mine(owner ^ distance);
  for (int half = workers / 2; half > distance; half /= 2) {
    sum += of.sent(halved(workers, owner, distance + half, of));
  }
  return sum;
}

// The sum at node `number` of the binary tree with the owner at its root: the first child's, then
// its own, then the second child's.
float up_the_tree(int workers, int owner, int number, const Sums& of) {
  const int turns = 2 * owner < workers ? number : -number;
  const float own = of.mine((owner + turns + workers) % workers);
  const int child = 2 * number + 1;
  if (child >= workers) return own;
  const float sum = of.sent(up_the_tree(workers, owner, child, of)) + own;
  return child + 1 < workers ? sum + of.sent(up_the_tree(workers, owner, child + 1, of)) : sum;
}

// Gradients of all workers at the same values, added in the order of each bucket's route. With
// 16-bit floats, all workers hold the sums of rounded differences from the owner's values.
std::vector<float> twin(const Training& training) {
  const auto count = static_cast<std::size_t>(training.network->parameters());
  std::vector<float> values(count);
  Stream init(training.seed, "init");
  training.network->initialize(init, values);
  std::vector<float> held = values;
  const auto workspace = training.network->make_workspace(Stream(1, "dropout"));
  std::vector<Sampler> samplers;
  for (int worker = 0; worker < training.workers; ++worker) {
    samplers.emplace_back(training.data->train->examples(), worker, training.workers,
                          training.batch_size, training.seed);
  }
  Serial serial;
  Batch batch;
  Stream augment(1, "data.augment");
  std::vector<std::vector<float>> gradients(samplers.size(), std::vector<float>(count));
  for (std::int64_t step = 0; step < training.steps; ++step) {
    for (std::size_t worker = 0; worker < samplers.size(); ++worker) {
      training.data->train->gather(samplers[worker].next(), &augment, batch);
      training.network->gradient(held, batch, gradients[worker], *workspace, serial);
    }
    for (const Bucket& bucket : training.layout->buckets) {
      for (std::int64_t i = bucket.first; i < bucket.first + bucket.count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto mine = [&](int worker) {
          return gradients[static_cast<std::size_t>(worker)][at];
        };
        const Sums of{mine, training.compression.wanted()};
        const Ways ways = Ways::of(training, bucket);
        float sum = ways.hypercube ? halved(training.workers, bucket.shard, 0, of)
                    : ways.tree    ? up_the_tree(training.workers, bucket.shard, 0, of)
                                   : over_groups(training, bucket.shard, of);
        if (training.workers > 1) sum *= 1.0F / static_cast<float>(training.workers);
        values[at] -= 0.3F * sum;
        held[at] = of.halves ? held[at] + of.sent(values[at] - held[at]) : values[at];
      }
    }
  }
  return held;
}

}  // namespace

TEST_CASE("all_reduce: the weights are those of the plain twin in any order of arrival") {
  const auto [workers, group] = GENERATE(table<int, int>({{1, 1},
                                                          {2, 1},
                                                          {3, 1},
                                                          {4, 1},
                                                          {7, 1},
                                                          {8, 1},
                                                          {2, 2},
                                                          {4, 2},
                                                          {6, 2},
                                                          {6, 3},
                                                          {8, 4},
                                                          {9, 3},
                                                          {12, 4}}));
  const Bytes chunk{GENERATE(1'000'000, 4'000, 772)};
  const std::string kind = workers > 1 ? GENERATE("none", "fp16") : "none";
  CAPTURE(workers, group, chunk.value, kind);
  const auto training = ring_training(workers, 5, chunk);
  testing::set_option(training->options, "group", std::int64_t{group});
  training->compression.kind = kind;
  const std::vector<float> expected = twin(*training);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    CAPTURE(seed);
    Shuffled shuffled(training, seed);
    shuffled.run();
    REQUIRE(shuffled.faults.empty());
    REQUIRE(shuffled.finished == workers);
    CHECK(shuffled.weights == expected);
    CHECK(shuffled.steps.size() == static_cast<std::size_t>(5 * workers));
  }
}

TEST_CASE("all_reduce: what halves round off one step's values is in the next ones") {
  // If values themselves were rounded, a step smaller than half their last digit would change
  // nothing, and the values would not reach those of 32-bit floats.
  constexpr int kSteps = 60;
  const auto floats = ring_training(2, kSteps, Bytes{4'000});
  const auto halves = ring_training(2, kSteps, Bytes{4'000});
  halves->compression.kind = "fp16";
  const std::vector<float> whole = twin(*floats);
  Shuffled shuffled(halves, 1);
  shuffled.run();
  const std::vector<float>& held = shuffled.weights;
  REQUIRE(held.size() == whole.size());
  double most = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    most = std::max(most, static_cast<double>(std::abs(whole[i] - held[i])));
  }
  CHECK(most > 0);
  CHECK(most < 2e-3);
}

TEST_CASE("all_reduce: over trees the weights are those of the twin in any order of arrival") {
  const int workers = GENERATE(2, 3, 4, 5, 8, 13);
  const Bytes chunk{GENERATE(1'000'000, 4'000, 772)};
  const std::string kind = GENERATE("none", "fp16");
  CAPTURE(workers, chunk.value, kind);
  const auto training = ring_training(workers, 5, chunk, {{1'000'000}, workers, 1});
  training->compression.kind = kind;
  REQUIRE(training->layout->trees);
  const std::vector<float> expected = twin(*training);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    CAPTURE(seed);
    Shuffled shuffled(training, seed);
    shuffled.run();
    REQUIRE(shuffled.faults.empty());
    REQUIRE(shuffled.finished == workers);
    CHECK(shuffled.weights == expected);
  }
}

// Two trees need two buckets; a ring of thirteen workers needs thirteen.
TEST_CASE("all_reduce: over trees a small model moves in fewer messages") {
  const auto training = ring_training(13, 1, Bytes{1'000'000}, {{1'000'000}, 13, 1});
  REQUIRE(training->layout->buckets.size() == 2);
  Shuffled shuffled(training, 1);
  shuffled.run();
  const std::int64_t parameters = 4 * training->layout->parameters;
  CHECK(shuffled.bytes_sent == 2 * 12 * (parameters + 2 * kHeaderSize.value));
}

// The first and last group own all buckets; within a group, sums use a ring.
TEST_CASE("all_reduce: trees of groups end with the same weights in any order of arrival") {
  const auto [workers, group] = GENERATE(table<int, int>({{4, 2}, {6, 2}, {9, 3}, {14, 2}}));
  CAPTURE(workers, group);
  const auto training = ring_training(workers, 4, Bytes{4'000}, {{1'000'000}, workers, group});
  testing::set_option(training->options, "group", std::int64_t{group});
  training->evaluate_every = 2;
  std::vector<float> first;
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    CAPTURE(seed);
    Shuffled shuffled(training, seed);
    shuffled.run();
    REQUIRE(shuffled.faults.empty());
    REQUIRE(shuffled.finished == workers);
    if (first.empty()) first = shuffled.weights;
    CHECK(shuffled.weights == first);
  }
}

TEST_CASE("all_reduce: sixty-four workers and buckets that they do not divide") {
  const auto training = ring_training(64, 2, Bytes{1'000});
  Shuffled shuffled(training, 3);
  shuffled.run();
  REQUIRE(shuffled.faults.empty());
  CHECK(shuffled.finished == 64);
  CHECK(shuffled.weights == twin(*training));
}

TEST_CASE("all_reduce: a worker moves two times its share of the parameters and headers") {
  const int workers = GENERATE(3, 4, 8);
  const auto training = ring_training(workers, 3, Bytes{4'000});
  const auto buckets = static_cast<std::int64_t>(training->layout->buckets.size());
  REQUIRE(buckets % workers == 0);
  Shuffled shuffled(training, 1);
  shuffled.run();
  // In general each bucket crosses the network 2 (N - 1) times. Over a hypercube N buckets that one
  // stage computes travel together, in 2 log2 N messages per worker.
  const bool hypercube = Ways::of(*training, training->layout->buckets.front()).hypercube;
  const std::int64_t messages =
      hypercube ? buckets * 2 * (std::bit_width(static_cast<unsigned>(workers)) - 1)
                : buckets * 2 * (workers - 1);
  const std::int64_t parameters = 4 * training->layout->parameters;
  CHECK(hypercube == (workers != 3));
  CHECK(shuffled.bytes_sent == 3 * (2 * (workers - 1) * parameters + messages * kHeaderSize.value));
}

TEST_CASE("all_reduce: four workers that own much go round the ring") {
  auto training = ring_training(4, 2, Bytes{200'000});
  NetworkOptions options;
  options.hidden = {200};
  training->network =
      std::make_shared<const Network>(network_spec("mlp", options), training->data->train->shape());
  training->layout = std::make_shared<Layout>(
      make_round_robin_layout(training->network->parameters(), Bytes{200'000}, 4));
  REQUIRE_FALSE(Ways::of(*training, training->layout->buckets.front()).hypercube);
  Shuffled shuffled(training, 2);
  shuffled.run();
  REQUIRE(shuffled.faults.empty());
  CHECK(shuffled.weights == twin(*training));
}

TEST_CASE("all_reduce: what one worker sends on a route another awaits") {
  const auto [workers, group] = GENERATE(table<int, int>({{1, 1},
                                                          {2, 1},
                                                          {3, 1},
                                                          {4, 1},
                                                          {8, 1},
                                                          {16, 1},
                                                          {64, 1},
                                                          {2, 2},
                                                          {4, 2},
                                                          {8, 2},
                                                          {6, 3},
                                                          {64, 8},
                                                          {12, 4}}));
  {
    CAPTURE(workers, group);
    auto training = small_training("all_reduce", 1, 0, 1);
    training->workers = workers;
    testing::set_option(training->options, "group", std::int64_t{group});
    for (int owner = 0; owner < workers; ++owner) {
      int linked = 0;
      for (int worker = 0; worker < workers; ++worker) {
        const Bucket bucket{.shard = owner};
        const Route route(*training, bucket, worker);
        CHECK(route.sum_to().has_value() == (worker != owner));
        CHECK(route.values_from().has_value() == (worker != owner));
        for (std::size_t i = 0; i < route.sources(); ++i) {
          const int source = route.source(i);
          CHECK(route.source_of(source) == i);
          CHECK(Route(*training, bucket, source).sum_to() == worker);
          CHECK(linked_in_all_reduce(*training, NodeId(source), NodeId(worker)));
          ++linked;
        }
        for (std::size_t i = 0; i < route.targets(); ++i) {
          const int to = route.target(i);
          CHECK(Route(*training, bucket, to).values_from() == worker);
          CHECK(linked_in_all_reduce(*training, NodeId(to), NodeId(worker)));
        }
      }
      CHECK(linked == workers - 1);
    }
  }
}

TEST_CASE("all_reduce: who is next to another in a tree is linked to it, nobody else") {
  const auto [workers, group] =
      GENERATE(table<int, int>({{2, 1}, {3, 1}, {8, 1}, {13, 1}, {6, 2}, {12, 3}, {4, 4}}));
  CAPTURE(workers, group);
  auto training = small_training("all_reduce", 1, 0, 1);
  training->workers = workers;
  testing::set_option(training->options, "group", std::int64_t{group});
  testing::set_option(training->options, "algorithm", "tree");
  const Trees trees{{1'000'000}, workers, group};
  training->layout = std::make_shared<Layout>(
      make_round_robin_layout(training->network->parameters(), {4'000}, workers, trees));
  std::set<std::pair<int, int>> used;
  for (const Bucket& bucket : training->layout->buckets) {
    for (int worker = 0; worker < workers; ++worker) {
      if (const auto to = Route(*training, bucket, worker).sum_to()) {
        used.insert(std::minmax(worker, *to));
      }
      if (const auto from = Route(*training, bucket, worker).values_from()) {
        used.insert(std::minmax(worker, *from));
      }
    }
  }
  std::set<std::pair<int, int>> linked;
  for (int a = 0; a < workers; ++a) {
    for (int b = a + 1; b < workers; ++b) {
      if (linked_in_all_reduce(*training, NodeId(a), NodeId(b))) linked.emplace(a, b);
    }
  }
  CHECK(linked == used);
}

TEST_CASE("all_reduce: the chief evaluates while the others go on") {
  auto training = ring_training(3, 6, Bytes{4'000});
  training->evaluate_every = 2;
  const std::vector<float> expected = twin(*training);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Shuffled shuffled(training, seed);
    shuffled.run();
    REQUIRE(shuffled.faults.empty());
    CHECK(shuffled.evals.size() == 3);
    CHECK(shuffled.weights == expected);
  }
}

TEST_CASE("all_reduce: a message out of turn is told by whom it was sent") {
  const auto training = ring_training(3, 4, Bytes{1'000'000});
  AllReduceWorker worker(training, NodeId(0));
  Effects effects;
  worker.handle({}, Started{}, effects);
  Message message{.kind = MessageKind::partial, .step = {0}, .bucket = 2};
  message.payload = Payload::allocate(training->layout->buckets[2].size());
  const auto faults_of = [&](NodeId from, const Message& sent) {
    effects.clear();
    worker.handle({}, Received{from, sent}, effects);
    return effects.size() == 1 && std::holds_alternative<Fault>(effects.front());
  };
  CHECK(faults_of(NodeId(1), message));  // not the predecessor in the ring
  Message other = message;
  other.step = {1};
  CHECK(faults_of(NodeId(2), other));  // a future step
  other = message;
  other.bucket = 99;
  CHECK(faults_of(NodeId(2), other));
  other = message;
  other.payload = Payload::allocate({4});
  CHECK(faults_of(NodeId(2), other));
  other = message;
  other.kind = MessageKind::push;
  CHECK(faults_of(NodeId(2), other));
  other.kind = MessageKind::parameters;
  CHECK(faults_of(NodeId(2), other));  // values of a sum that does not include this worker
  // Bucket 2 belongs to worker 2, so its ring begins at worker 0, which receives no sum for it.
  CHECK(faults_of(NodeId(2), message));
  other = message;
  other.bucket = 1;
  other.payload = Payload::allocate(training->layout->buckets[1].size());
  CHECK_FALSE(faults_of(NodeId(2), other));
  CHECK(faults_of(NodeId(2), other));  // a duplicate
}
