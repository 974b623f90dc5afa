// Node programs driven message by message, without sockets or an event queue.
#include "models/base/check.h"
#include "models/base/random.h"
#include "models/data/digits.h"
#include "models/data/sampler.h"
#include "models/networks/registry.h"
#include "models/protocol/registry.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace foretrain {
namespace {
using testing::Shuffled;
using testing::small_training;

TEST_CASE("sync: the weights are the same bits whatever the order of arrival") {
  const int workers = GENERATE(1, 2, 5);
  const int servers = GENERATE(1, 3);
  const Bytes bucket_size{GENERATE(1'000'000, 4'000)};
  CAPTURE(workers, servers, bucket_size.value);
  const auto training = small_training("sync", workers, servers, 6, bucket_size);
  Shuffled first(training, 1);
  first.run();
  REQUIRE(first.finished == training->nodes());
  CHECK(first.faults.empty());
  CHECK(first.steps.size() == static_cast<std::size_t>(6 * workers));
  for (std::uint64_t seed = 2; seed < 8; ++seed) {
    Shuffled other(training, seed);
    other.run();
    CHECK(other.weights == first.weights);
  }
}

TEST_CASE("sync: shards and buckets do not change a bit of the weights") {
  Shuffled whole(small_training("sync", 3, 1, 5), 1);
  Shuffled cut(small_training("sync", 3, 4, 5, {1'000}), 2);
  whole.run();
  cut.run();
  REQUIRE(!whole.weights.empty());
  CHECK(whole.weights == cut.weights);
}

TEST_CASE("sync: one worker is plain stochastic gradient descent") {
  Shuffled sync(small_training("sync", 1, 1, 20), 1);
  Shuffled single(small_training("single", 1, 0, 20), 1);
  sync.run();
  single.run();
  REQUIRE(!single.weights.empty());
  CHECK(sync.weights == single.weights);
}

TEST_CASE("sync: the step is the mean of the workers' gradients, summed in their order") {
  const auto training = small_training("sync", 3, 1, 1);
  Shuffled sync(training, 1);
  sync.run();
  std::vector<float> start(7'850, 0);
  std::vector<float> sum(7'850, 0);
  std::vector<float> gradient(7'850);
  const auto workspace = training->network->make_workspace(Stream(1, "dropout"));
  Serial serial;
  Batch batch;
  for (int worker = 0; worker < 3; ++worker) {
    Sampler sampler(training->data->train->examples(), worker, 3, 8, training->seed);
    training->data->train->gather(sampler.next(), nullptr, batch);
    training->network->gradient(start, batch, gradient, *workspace, serial);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] = worker == 0 ? gradient[i] : sum[i] + gradient[i];
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const float mean = sum[i] * (1.0F / 3);
    REQUIRE(sync.weights[i] == start[i] - 0.3F * mean);
  }
}

TEST_CASE("async: the quota is shared and met exactly, whatever the order") {
  const int workers = GENERATE(1, 2, 5);
  const int servers = GENERATE(1, 3);
  const std::uint64_t seed = GENERATE(1, 2, 3);
  CAPTURE(workers, servers, seed);
  const auto training = small_training("async", workers, servers, 7);
  Shuffled async(training, seed);
  async.run();
  CHECK(async.finished == training->nodes());
  CHECK(async.faults.empty());
  CHECK(!async.weights.empty());
  if (servers == 1) CHECK(async.steps.size() == static_cast<std::size_t>(7 * workers));
}

TEST_CASE("async: one worker is plain stochastic gradient descent") {
  Shuffled async(small_training("async", 1, 1, 20), 1);
  Shuffled single(small_training("single", 1, 0, 20), 1);
  async.run();
  single.run();
  CHECK(async.weights == single.weights);
}

TEST_CASE("worker: the chief evaluates as often as asked, and once at the end") {
  const std::string strategy = GENERATE("single", "sync");
  CAPTURE(strategy);
  auto training = std::make_shared<Training>(
      *small_training(strategy, strategy == "single" ? 1 : 2, strategy == "single" ? 0 : 1, 10));
  training->evaluate_every = 3;
  Shuffled run(training, 1);
  run.run();
  REQUIRE(run.evals.size() == 4);
  CHECK(run.evals[0].step == Step{3});
  CHECK(run.evals[2].step == Step{9});
  CHECK(run.evals[3].final);
  CHECK(run.evals[3].accuracy > 0.2);
  CHECK(run.evals[3].version == Version{10});
}

TEST_CASE("phases: none is ever negative") {
  Shuffled run(small_training("sync", 3, 2, 9, {4'000}), 5);
  run.run();
  for (const StepReport& step : run.steps) {
    for (const auto& [name, of] : kPhases<Duration>) CHECK(step.phases.*of >= Duration{});
  }
}

TEST_CASE("server: a message out of turn is a fault that names its sender") {
  const std::string strategy = GENERATE("sync", "async");
  CAPTURE(strategy);
  const auto training = small_training(strategy, 2, 1, 5);
  const auto server = make_node(training, training->server(0));
  Effects effects;
  Message message;
  message.payload = Payload::allocate({7'850 * 4});
  message.version = {3};  // of the future
  message.step = {3};
  server->handle({1}, Received{NodeId(1), message}, effects);
  REQUIRE(effects.size() == 1);
  REQUIRE(std::holds_alternative<Fault>(effects[0]));
  CHECK(std::get<Fault>(effects[0]).peer == NodeId(1));
}

TEST_CASE("server: a lost chief is a fault") {
  const std::string strategy = GENERATE("sync", "async", "ssp");
  const auto training = small_training(strategy, 2, 1, 5);
  const auto server = make_node(training, training->server(0));
  Effects effects;
  server->handle({1}, PeerLost{NodeId(0)}, effects);
  REQUIRE(effects.size() == 1);
  CHECK(std::get<Fault>(effects[0]).peer == NodeId(0));
}

}  // namespace
}  // namespace foretrain
