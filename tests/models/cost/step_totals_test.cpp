// The costs in the step graph equal what nodes ask for or report in a step.
#include "models/graph/step_graph.h"
#include "models/protocol/registry.h"
#include "tests/models/graph/counted_trainings.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using testing::Counted;
using testing::set_option;
using testing::training_of;

/// The costs of a training's nodes so far.
struct Spent {
  TotalCost chief;    // without updates
  TotalCost servers;  // without updates
  TotalCost updates;
};

/// Runs a training with inputs first in, first out, and each effect executed immediately.
Spent spent_in(const std::shared_ptr<const Training>& training) {
  std::vector<std::unique_ptr<Node>> nodes;
  std::deque<std::pair<NodeId, Input>> inputs;
  for (int node = 0; node < training->nodes(); ++node) {
    nodes.push_back(make_node(training, NodeId(node)));
    inputs.emplace_back(NodeId(node), Started{});
  }
  Spent spent;
  const auto add = [&](NodeId id, const TotalCost& cost, bool update) {
    if (update) spent.updates = spent.updates + cost;
    if (!update && index_of(id) == 0) spent.chief = spent.chief + cost;
    if (!update && !training->is_worker(id)) spent.servers = spent.servers + cost;
  };
  while (!inputs.empty()) {
    auto [id, input] = std::move(inputs.front());
    inputs.pop_front();
    Effects effects;
    nodes[index_of(id)]->handle({}, std::move(input), effects);
    for (Effect& effect : effects) {
      REQUIRE_FALSE(std::holds_alternative<Fault>(effect));
      if (auto* send = std::get_if<Send>(&effect)) {
        inputs.emplace_back(send->to, Received{id, std::move(send->message)});
      } else if (auto* compute = std::get_if<Compute>(&effect)) {
        const JobKind kind = compute->job.kind;
        add(id, compute->job.cost, kind == JobKind::apply || kind == JobKind::reduce);
        inputs.emplace_back(id, Computed{compute->job.id, {}});
      } else if (auto* work = std::get_if<SpentCost>(&effect)) {
        add(id, work->cost, false);
      }
    }
  }
  return spent;
}

TotalCost times(const TotalCost& cost, int count) {
  TotalCost sum;
  for (int i = 0; i < count; ++i) sum = sum + cost;
  return sum;
}

std::shared_ptr<Training> counted_training(const Counted& counted) {
  auto training = training_of(counted);
  const Protocol& protocol = *find_protocol(counted.strategy);
  training->dense = protocol.dense;
  if (protocol.dense) training->touched_mean = 0;
  if (!protocol.servers && protocol.several_workers) {
    training->layout = std::make_shared<const Layout>(make_round_robin_layout(
        training->network->parameters(), counted.bucket_size, counted.workers));
  }
  training->test_examples = 10;
  return training;
}

/// The cost of a middle step: that of a training minus that of one with a step less.
void check_step(const Counted& counted) {
  const auto shorter = counted_training(counted);
  const auto longer = counted_training(counted);
  shorter->steps = 3;
  longer->steps = 4;
  const Spent before = spent_in(shorter);
  const Spent after = spent_in(longer);
  const int workers = counted.workers;
  const Protocol& protocol = protocol_called(counted.strategy);
  const bool each = protocol.gradients_an_apply(longer->options, workers) == 1;
  // A worker's part of a step for each worker; updates are one for all workers, or one each.
  const auto of_all = [&](const Spent& spent) {
    return times(spent.chief, workers) + spent.servers + times(spent.updates, each ? 1 : workers);
  };
  const TotalCost step = times(totals(make_step_graph(*longer)), workers);
  CHECK(step.flops.value > 0);
  CHECK(of_all(before) + step == of_all(after));
}

TEST_CASE("step totals: the graph of a step costs what nodes ask for and tell of") {
  const std::string strategy = GENERATE("sync", "async", "ssp");
  const std::string network = GENERATE("softmax", "lenet", "lenet_large", "sparse_logistic");
  const int servers = GENERATE(1, 2);
  OptimizerSpec optimizer;
  optimizer.name = GENERATE("sgd", "adam");
  CAPTURE(strategy, network, servers, optimizer.name);
  check_step({.network = network,
              .strategy = strategy,
              .workers = 3,
              .servers = servers,
              .optimizer = optimizer});
}

TEST_CASE("step totals: what compressing a gradient takes on both sides is counted") {
  Compression compression;
  compression.kind = GENERATE("fp16", "topk", "ratio");
  compression.encode_s = GENERATE(0.0, 1e-9);
  CAPTURE(compression.kind, compression.encode_s);
  check_step({.network = "lenet", .servers = 2, .compression = compression});
}

TEST_CASE("step totals: what halves of sums among workers take is counted") {
  Compression compression;
  compression.kind = "fp16";
  compression.encode_s = GENERATE(0.0, 1e-9);
  const int workers = GENERATE(2, 3, 4);
  CAPTURE(workers, compression.encode_s);
  check_step({.network = "lenet",
              .strategy = "all_reduce",
              .workers = workers,
              .servers = 0,
              .compression = compression});
}

TEST_CASE("step totals: a single worker is counted, its gradient dense or sparse or clipped") {
  const std::string network = GENERATE("lenet", "sparse_logistic");
  OptimizerSpec optimizer;
  optimizer.clip_norm = GENERATE(0.0, 1.0);
  optimizer.weight_decay = 1e-4;
  optimizer.penalty_in_loss = true;
  CAPTURE(network, optimizer.clip_norm);
  check_step({.network = network,
              .strategy = "single",
              .workers = 1,
              .servers = 0,
              .optimizer = optimizer});
}

TEST_CASE("step totals: several batches a gradient, with what adds them up, are counted") {
  const std::string strategy = GENERATE("single", "sync", "all_reduce");
  OptimizerSpec optimizer;
  optimizer.clip_norm = GENERATE(0.0, 1.0);
  optimizer.weight_decay = 1e-4;
  optimizer.penalty_in_loss = true;
  CAPTURE(strategy, optimizer.clip_norm);
  check_step({.network = "lenet",
              .strategy = strategy,
              .workers = strategy == "single" ? 1 : 3,
              .servers = strategy == "sync" ? 2 : 0,
              .accumulate = 4,
              .optimizer = optimizer});
}

TEST_CASE("step totals: sums among workers are counted in a ring or over a hypercube") {
  const std::string network = GENERATE("lenet", "sparse_logistic");
  const int workers = GENERATE(1, 2, 3, 4, 8);
  CAPTURE(network, workers);
  check_step({.network = network, .strategy = "all_reduce", .workers = workers, .servers = 0});
}

TEST_CASE("step totals: a step between two averagings is counted") {
  const auto shorter =
      counted_training({.network = "lenet", .strategy = "local_sgd", .workers = 3, .servers = 0});
  const auto longer = std::make_shared<Training>(*shorter);
  shorter->steps = 3;
  longer->steps = 4;
  const Spent before = spent_in(shorter);
  const Spent after = spent_in(longer);
  const StepGraph graph = make_step_graph(*longer);
  const Cost apply = totals(graph, OperationKind::apply);
  CHECK(before.chief + totals_of_every_step(graph) == after.chief + apply);
  CHECK(before.updates + times(apply, 3) == after.updates);
}

TEST_CASE("step totals: a step that ends in an averaging is counted") {
  const int workers = GENERATE(1, 2, 3, 4);
  const std::string outer = GENERATE("none", "nesterov");
  CAPTURE(workers, outer);
  const auto shorter = counted_training(
      {.network = "lenet", .strategy = "local_sgd", .workers = workers, .servers = 0});
  set_option(shorter->options, "local_steps", 2);
  set_option(shorter->options, "outer.name", outer);
  const auto longer = std::make_shared<Training>(*shorter);
  shorter->steps = 4;
  longer->steps = 5;  // a third round of one step
  const Spent before = spent_in(shorter);
  const Spent after = spent_in(longer);
  const StepGraph graph = make_step_graph(*longer);
  const Cost apply = totals(graph, OperationKind::apply);
  const Cost average = totals(graph, OperationKind::average);
  CHECK(average.flops.value > 0);
  CHECK(before.updates + times(apply, workers) + average == after.updates);
  CHECK(before.chief + totals(graph) == after.chief + apply + average);
}

}  // namespace
}  // namespace foretrain
