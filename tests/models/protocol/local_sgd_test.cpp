// Local SGD: averages, message counts, its end.
#include "models/protocol/local_sgd.h"

#include "models/data/sampler.h"
#include "models/protocol/route.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace foretrain {
namespace {
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

std::shared_ptr<Training> local_training(int workers, std::int64_t steps, std::int64_t local_steps,
                                         Bytes bucket_size = {4'000}) {
  auto training = small_training("local_sgd", workers, 0, steps, bucket_size);
  set_option(training->options, "local_steps", local_steps);
  return training;
}

std::vector<float> weights_of(const std::shared_ptr<Training>& training, std::uint64_t seed = 1) {
  Shuffled nodes(training, seed);
  nodes.run();
  CHECK(nodes.faults.empty());
  REQUIRE(nodes.finished == training->nodes());
  return nodes.weights;
}

double most_apart(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  }
  return most;
}

// The partial sum at a worker on a bucket's route to its owner.
float sum_at(const Route& route, int worker, const std::function<float(int)>& part_of,
             const std::function<Route(int)>& route_of) {
  float sum = part_of(worker);
  for (std::size_t i = 0; i < route.sources(); ++i) {
    const int source = route.source(i);
    sum += sum_at(route_of(source), source, part_of, route_of);
  }
  return sum;
}

// Each worker trains alone for a round, then the mean is taken in the order of each bucket's route.
std::vector<float> local_twin(const Training& training, std::int64_t local_steps) {
  const auto count = static_cast<std::size_t>(training.network->parameters());
  const int workers = training.workers;
  std::vector<float> start(count);
  Stream init(training.seed, "init");
  training.network->initialize(init, start);
  const auto workspace = training.network->make_workspace(Stream(1, "dropout"));
  std::vector<Sampler> samplers;
  for (int worker = 0; worker < workers; ++worker) {
    samplers.emplace_back(training.data->train->examples(), worker, workers, training.batch_size,
                          training.seed);
  }
  Serial serial;
  Batch batch;
  Stream augment(1, "data.augment");
  std::vector<float> gradient(count);
  std::vector<std::vector<float>> own(samplers.size(), start);
  for (std::int64_t step = 0; step < training.steps; ++step) {
    for (std::size_t worker = 0; worker < samplers.size(); ++worker) {
      training.data->train->gather(samplers[worker].next(), &augment, batch);
      training.network->gradient(own[worker], batch, gradient, *workspace, serial);
      for (std::size_t i = 0; i < count; ++i) own[worker][i] -= 0.3F * gradient[i];
    }
    if ((step + 1) % local_steps != 0 && step + 1 < training.steps) continue;
    for (const Bucket& bucket : training.layout->buckets) {
      for (std::int64_t at = bucket.first; at < bucket.first + bucket.count; ++at) {
        const auto i = static_cast<std::size_t>(at);
        const auto part_of = [&](int worker) { return own[static_cast<std::size_t>(worker)][i]; };
        const auto route_of = [&](int worker) { return Route(training, bucket, worker); };
        const float sum = sum_at(route_of(bucket.shard), bucket.shard, part_of, route_of);
        start[i] = sum * (1.0F / static_cast<float>(workers));
      }
    }
    std::ranges::fill(own, start);
  }
  return start;
}

TEST_CASE("local_sgd: workers learn by themselves, then the parameters are averaged") {
  const int workers = GENERATE(1, 2, 3, 4, 8);
  const std::int64_t local_steps = GENERATE(1, 3, 4);
  CAPTURE(workers, local_steps);
  // With rounds of 3 or 4 steps, the last round of 10 steps is shorter.
  const auto training = local_training(workers, 10, local_steps);
  CHECK(weights_of(training) == local_twin(*training, local_steps));
}

TEST_CASE("local_sgd: the weights are the same bits whatever the order of arrival") {
  const int workers = GENERATE(2, 3, 4, 8);
  CAPTURE(workers);
  const auto training = local_training(workers, 9, 4);
  training->evaluate_every = 3;
  const std::vector<float> first = weights_of(training, 1);
  for (std::uint64_t seed = 2; seed < 8; ++seed) CHECK(weights_of(training, seed) == first);
}

TEST_CASE("local_sgd: an averaging after each step learns what all_reduce does but for rounding") {
  const int workers = GENERATE(2, 3, 4);
  CAPTURE(workers);
  const auto ring = small_training("all_reduce", workers, 0, 20, {4'000});
  const std::vector<float> expected = weights_of(ring);
  const std::vector<float> averaged = weights_of(local_training(workers, 20, 1));
  const double largest = std::abs(
      *std::ranges::max_element(expected, {}, [](float weight) { return std::abs(weight); }));
  // Bound: 20 steps of a few operations each on numbers up to the largest weight.
  CHECK(most_apart(averaged, expected) <= 20 * 8 * largest * 0x1p-24);
  CHECK(most_apart(averaged, expected) > 0);
}

TEST_CASE("local_sgd: a round moves what a step of all_reduce does") {
  const auto bytes = [](const std::shared_ptr<Training>& training) {
    Shuffled nodes(training, 1);
    nodes.run();
    return nodes.bytes_sent;
  };
  const auto ring = small_training("all_reduce", 3, 0, 5, {4'000});
  CHECK(bytes(local_training(3, 20, 4)) == bytes(ring));
  CHECK(bytes(local_training(3, 17, 4)) == bytes(ring));
}

TEST_CASE("local_sgd: an outer optimizer that takes the whole change is the average") {
  const auto plain = local_training(3, 12, 4);
  const auto outer = local_training(3, 12, 4);
  set_option(outer->options, "outer.name", "nesterov");
  set_option(outer->options, "outer.learning_rate", 1.0);
  set_option(outer->options, "outer.momentum", 0.0);
  // w - (w - mean) has a rounding error that the mean has not.
  CHECK(most_apart(weights_of(outer), weights_of(plain)) < 1e-6);
}

TEST_CASE("local_sgd: an outer optimizer goes on in the direction of the rounds before") {
  // One worker with rounds of one step: sgd, then Nesterov momentum on its changes.
  const auto training = local_training(1, 6, 1, {1'000'000});
  set_option(training->options, "outer.name", "nesterov");
  const std::vector<float> weights = weights_of(training);
  auto momentum = small_training("single", 1, 0, 6);
  OptimizerSpec spec;
  spec.name = "momentum";
  spec.nesterov = true;
  spec.momentum = 0.9;
  spec.learning_rate = 0.3 * 0.7;
  momentum->optimizer = make_optimizer(spec);
  CHECK(most_apart(weights, weights_of(momentum)) < 1e-5);
}

TEST_CASE("local_sgd: the chief evaluates what was averaged last, within a round too") {
  const auto training = local_training(2, 9, 4);
  training->evaluate_every = 3;
  Shuffled nodes(training, 1);
  nodes.run();
  REQUIRE(nodes.evals.size() == 3);
  CHECK(nodes.evals[0].step.value == 3);
  CHECK(nodes.evals[0].version.value == 0);
  CHECK(nodes.evals[1].step.value == 6);
  CHECK(nodes.evals[1].version.value == 1);
  CHECK(nodes.evals[2].version.value == 3);
  CHECK(nodes.evals[2].final);
  // It evaluates the final parameters of a single round.
  const auto one_round = local_training(2, 4, 4);
  Shuffled shorter(one_round, 1);
  shorter.run();
  CHECK(nodes.evals[1].loss == shorter.evals.back().loss);
}

TEST_CASE("local_sgd: where the target is reached, it ends with what was judged") {
  const int workers = GENERATE(3, 4);  // 4: over a hypercube
  const int evaluate_every = GENERATE(3, 4);
  CAPTURE(workers, evaluate_every);
  const auto training = local_training(workers, 40, 4);
  training->evaluate_every = evaluate_every;
  training->target = {.accuracy = 0, .loss = 1.9};
  Shuffled first(training, 1);
  first.run();
  CHECK(first.faults.empty());
  REQUIRE(first.finished == workers);
  REQUIRE(first.updates < 10);
  CHECK(first.updates > 0);
  CHECK(first.gradients == first.updates * 4 * workers);
  CHECK(first.evals.back().final);
  CHECK(first.evals.back().loss <= 1.9);
  for (std::uint64_t seed = 2; seed < 8; ++seed) {
    Shuffled other(training, seed);
    other.run();
    CHECK(other.finished == workers);
    CHECK(other.weights == first.weights);
    CHECK(other.updates == first.updates);
  }
  CHECK(first.weights == weights_of(local_training(workers, first.updates * 4, 4)));
}

TEST_CASE("local_sgd: a message out of turn is a fault of its sender") {
  const auto training = local_training(2, 8, 4);
  const auto node = make_node(training, NodeId(0));
  Effects effects;
  node->handle({1}, Started{}, effects);
  effects.clear();
  Message message{.kind = MessageKind::parameters, .step = {0}, .bucket = 0};
  message.payload = Payload::allocate(training->layout->buckets[0].size());
  node->handle({2}, Received{NodeId(1), message}, effects);
  REQUIRE(effects.size() == 1);
  const auto* fault = std::get_if<Fault>(&effects.front());
  REQUIRE(fault != nullptr);
  CHECK(fault->peer == NodeId(1));
}

TEST_CASE("local_sgd: a worker holds all of an optimizer, an owner the outer one of its part") {
  const auto training = local_training(2, 8, 4);
  const Protocol protocol = local_sgd_protocol();
  const std::int64_t all = training->layout->parameters;
  CHECK(protocol.updated_by(*training, NodeId(1)) == all);
  std::int64_t owned = 0;
  for (const Bucket& bucket : training->layout->buckets) {
    if (bucket.shard == 1) owned += bucket.count;
  }
  CHECK(protocol.kept_by(*training, NodeId(1)) == Bytes{4 * owned});  // the values that it sends
  set_option(training->options, "outer.name", "nesterov");
  CHECK(protocol.kept_by(*training, NodeId(1)) == Bytes{12 * owned});
  training->evaluate_every = 3;
  CHECK(protocol.kept_by(*training, NodeId(0)) == Bytes{12 * (all - owned) + 4 * all});
}

TEST_CASE("local_sgd: what a worker keeps is what it holds while its averages wait to be sent") {
  // Over a hypercube worker 1 sends its own half's buckets to the other half.
  const auto [workers, to] = GENERATE(table<int, int>({{2, 0}, {4, 3}}));
  CAPTURE(workers);
  const auto training = local_training(workers, 1, 1);
  std::vector<std::unique_ptr<Node>> nodes;
  std::deque<std::pair<NodeId, Input>> inputs;
  for (int id = 0; id < workers; ++id) {
    nodes.push_back(make_node(training, NodeId(id)));
    inputs.emplace_back(NodeId(id), Started{});
  }
  std::vector<Payload> waiting;  // of worker 1
  Serial serial;
  for (; !inputs.empty(); inputs.pop_front()) {
    auto& [id, input] = inputs.front();
    Effects effects;
    nodes[index_of(id)]->handle({}, std::move(input), effects);
    for (Effect& effect : effects) {
      if (auto* compute = std::get_if<Compute>(&effect)) {
        inputs.emplace_back(id, Computed{compute->job.id, compute->job.work(serial)});
        continue;
      }
      auto* send = std::get_if<Send>(&effect);
      if (send == nullptr) continue;
      const bool values = send->message.kind == MessageKind::parameters;
      if (values && id == NodeId(1) && send->to == NodeId(to)) {
        waiting.push_back(std::move(send->message.payload));
      } else {
        inputs.emplace_back(send->to, Received{id, std::move(send->message)});
      }
    }
  }
  Bytes held;
  for (const Payload& values : waiting) {
    CHECK(values.unshared());  // not part of the parameters
    held += values.size();
  }
  CHECK(waiting.size() > 1);
  CHECK(held == local_sgd_protocol().kept_by(*training, NodeId(1)));
}

}  // namespace
}  // namespace foretrain
