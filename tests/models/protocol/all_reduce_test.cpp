// The ring: weights, order of arrival, what it moves, bad messages.
#include "models/protocol/all_reduce.h"

#include "models/data/sampler.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using testing::Shuffled;
using testing::small_training;

namespace {

std::shared_ptr<Training> ring_training(int workers, std::int64_t steps, Bytes chunk) {
  auto training = small_training("all_reduce", workers, 0, steps);
  training->dense = true;
  training->layout =
      std::make_shared<Layout>(make_dealt_layout(training->network->parameters(), chunk, workers));
  return training;
}

// Gradients of all workers on the same values, added up in the order of each bucket's ring.
std::vector<float> twin(const Training& training) {
  const auto count = static_cast<std::size_t>(training.network->parameters());
  std::vector<float> values(count);
  Stream init(training.seed, "init");
  training.network->initialize(init, values);
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
      training.network->gradient(values, batch, gradients[worker], *workspace, serial);
    }
    for (const Bucket& bucket : training.layout->buckets) {
      for (std::int64_t i = bucket.first; i < bucket.first + bucket.count; ++i) {
        float sum = 0;
        for (int turn = 1; turn <= training.workers; ++turn) {
          const int worker = (bucket.shard + turn) % training.workers;
          const float mine =
              gradients[static_cast<std::size_t>(worker)][static_cast<std::size_t>(i)];
          sum = turn == 1 ? mine : sum + mine;
        }
        if (training.workers > 1) sum *= 1.0F / static_cast<float>(training.workers);
        values[static_cast<std::size_t>(i)] -= 0.3F * sum;
      }
    }
  }
  return values;
}

}  // namespace

TEST_CASE("all_reduce: the weights are those of the plain twin in any order of arrival") {
  const int workers = GENERATE(1, 2, 3, 4, 7);
  const Bytes chunk{GENERATE(1'000'000, 4'000, 772)};
  CAPTURE(workers, chunk.value);
  const auto training = ring_training(workers, 5, chunk);
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

TEST_CASE("all_reduce: sixty-four workers and buckets that they do not divide") {
  const auto training = ring_training(64, 2, Bytes{1'000});
  Shuffled shuffled(training, 3);
  shuffled.run();
  REQUIRE(shuffled.faults.empty());
  CHECK(shuffled.finished == 64);
  CHECK(shuffled.weights == twin(*training));
}

TEST_CASE("all_reduce: a worker moves two times its share of the parameters and headers") {
  const int workers = 4;
  const auto training = ring_training(workers, 3, Bytes{4'000});
  const auto buckets = static_cast<std::int64_t>(training->layout->buckets.size());
  REQUIRE(buckets % workers == 0);
  Shuffled shuffled(training, 1);
  shuffled.run();
  // Over all workers each bucket goes 2 (N - 1) times over a wire.
  const std::int64_t parameters = 4 * training->layout->parameters;
  CHECK(shuffled.bytes_sent == 3 * 2 * (workers - 1) * (parameters + buckets * kHeaderSize.value));
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
  CHECK(faults_of(NodeId(1), message));  // not the one before
  Message other = message;
  other.step = {1};
  CHECK(faults_of(NodeId(2), other));  // a step that has not come
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
  CHECK(faults_of(NodeId(2), other));  // values of a sum that this worker is not in
  // Bucket 2 belongs to worker 2, so its ring begins with worker 0: nobody sends it a sum.
  CHECK(faults_of(NodeId(2), message));
  other = message;
  other.bucket = 1;
  other.payload = Payload::allocate(training->layout->buckets[1].size());
  CHECK_FALSE(faults_of(NodeId(2), other));
  CHECK(faults_of(NodeId(2), other));  // twice
}
