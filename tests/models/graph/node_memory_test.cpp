// The memory of each node, by hand, then as one sum.
#include "models/graph/node_memory.h"

#include "models/graph/step_memory.h"
#include "tests/models/graph/counted_trainings.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace foretrain {
namespace {

constexpr std::int64_t kParameters = 61'706;  // of lenet
const DataMemory kData{{10'000'000}, 9'000, false};

TEST_CASE("node memory: a worker has the data and a step, a server its shard with the state") {
  testing::Counted counted{.workers = 3, .servers = 2};
  counted.optimizer.name = "adam";
  const auto training = testing::training_of(counted);
  const NodeMemory worker = node_memory(*training, kData, NodeId{1});
  CHECK(worker.data.value == 10'000'000 + 8 * 3'000);
  CHECK(worker.learned.value == 4 * kParameters);
  CHECK(worker.set_up.value == 0);
  CHECK(worker.evaluation.value == 0);
  const StepMemory step = step_memory(*training);
  CHECK(worker.step == step.gradients + step.activations() + step.scratch + step.batch);
  Bytes shards;
  for (const NodeId server : {NodeId{3}, NodeId{4}}) {
    const NodeMemory memory = node_memory(*training, kData, server);
    CHECK(memory.data.value == 0);
    CHECK(memory.step.value == 0);
    CHECK(memory.set_up.value == 4 * kParameters);
    shards += memory.learned;
  }
  CHECK(shards.value == 3 * 4 * kParameters);  // values and two state numbers
}

TEST_CASE("node memory: parts of an all-reduce have the optimizer's state once in all") {
  testing::Counted counted{.strategy = "all_reduce", .workers = 3, .servers = 0};
  counted.optimizer.name = "adam";
  const auto training = testing::training_of(counted);
  training->layout =
      std::make_shared<const Layout>(make_round_robin_layout(kParameters, Bytes{50'000}, 3));
  Bytes learned;
  for (const NodeId id : {NodeId{0}, NodeId{1}, NodeId{2}}) {
    learned += node_memory(*training, kData, id).learned;
  }
  CHECK(learned.value == (3 + 2) * 4 * kParameters);
}

TEST_CASE("node memory: only the chief evaluates and only what does not fit is more") {
  const auto training = testing::training_of({.workers = 2});
  training->test_examples = 1'000;
  const NodeMemory chief = node_memory(*training, kData, NodeId{0});
  CHECK(chief.evaluation > Bytes{256 * 4 * 784});
  CHECK(chief.resident(true, {}) == chief.resident(false, {}) + chief.evaluation);
  training->test_examples = 10;
  CHECK(node_memory(*training, kData, NodeId{0}).evaluation.value == 10 * 4 * (784 + 1));
}

TEST_CASE("node memory: what setting up took is used again") {
  NodeMemory memory;
  memory.data = {1};
  memory.learned = {10};
  memory.set_up = {100};
  memory.message = {5};
  CHECK(memory.resident(false, {}).value == 111);
  CHECK(memory.resident(false, {90}).value == 111);
  CHECK(memory.resident(false, {200}).value == 216);
}

TEST_CASE("node memory: what drawing the examples took is used again") {
  NodeMemory memory;
  memory.data = {1};
  memory.drawing = {50};
  memory.learned = {10};
  CHECK(memory.resident(false, {}).value == 51);
  CHECK(memory.resident(false, {30}).value == 51);
  CHECK(memory.resident(false, {90}).value == 101);
  DataMemory drawn = kData;
  drawn.drawing = {50};
  const auto training = testing::training_of({.workers = 2});
  CHECK(node_memory(*training, drawn, NodeId{1}).drawing.value == 50);
  CHECK(node_memory(*training, drawn, NodeId{2}).drawing.value == 0);
}

TEST_CASE("node memory: an evaluation's scratch is that of its forward passes") {
  const auto training = testing::training_of({.workers = 2});
  training->test_examples = 1'000;
  const StepMemory evaluated = evaluation_memory(*training);
  CHECK(evaluated.forward_scratch < evaluated.scratch);
  CHECK(node_memory(*training, kData, NodeId{0}).evaluation ==
        evaluated.batch + evaluated.outputs + evaluated.forward_scratch);
}

TEST_CASE("node memory: a server holds a gradient of each worker where it gathers them") {
  const auto sync = testing::training_of({.strategy = "sync", .workers = 3});
  CHECK(expected_held(*sync, NodeId{3}).value == 3 * 4 * kParameters);
  CHECK(expected_held(*sync, NodeId{0}).value == 0);
  const auto async = testing::training_of({.strategy = "async", .workers = 3});
  CHECK(expected_held(*async, NodeId{3}).value == 4 * kParameters);
  const auto rooted = testing::training_of({.strategy = "gather_scatter", .workers = 3});
  const Bucket& largest = *std::ranges::max_element(rooted->layout->buckets, {}, &Bucket::count);
  CHECK(expected_held(*rooted, NodeId{0}) == largest.size() * 3);
  CHECK(expected_held(*rooted, NodeId{1}).value == 0);
}

}  // namespace
}  // namespace foretrain
