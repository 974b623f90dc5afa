// The step graph: its costs, its dependencies.
#include "models/graph/step_graph.h"

#include "models/cost/work.h"
#include "models/protocol/shard.h"
#include "tests/models/graph/counted_trainings.h"
#include "tests/support/networks.h"
#include "tests/support/protocol_options.h"

#include <boost/graph/topological_sort.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

namespace foretrain {
namespace {

using testing::Counted;
using testing::NetworkCase;
using testing::residual_case;
using testing::set_option;
using testing::single_training;
using testing::training_of;

/// The predecessors of `v`, in ascending order.
std::vector<std::size_t> before(const StepGraph& graph, std::size_t v) {
  std::vector<std::size_t> found;
  const auto [first, last] = boost::in_edges(v, graph);
  std::for_each(first, last, [&](auto edge) { found.push_back(boost::source(edge, graph)); });
  std::ranges::sort(found);
  return found;
}

std::vector<std::size_t> all_of(const StepGraph& graph, OperationKind kind) {
  std::vector<std::size_t> found;
  for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) {
    if (graph[v].kind == kind) found.push_back(v);
  }
  return found;
}

/// Bytes of one kind that flow into operations of another.
std::int64_t flow_into(const StepGraph& graph, OperationKind kind, FlowKind what) {
  std::int64_t bytes = 0;
  const auto [first, last] = boost::edges(graph);
  std::for_each(first, last, [&](auto edge) {
    if (graph[boost::target(edge, graph)].kind != kind || graph[edge].kind != what) return;
    bytes += graph[edge].size.value;
  });
  return bytes;
}

TEST_CASE("step graph: from gathering to going backward it is what a gradient is counted for") {
  for (const std::string& name : network_names()) {
    CAPTURE(name);
    const auto training = training_of({.network = name, .bucket_size = {1'000'000}});
    const StepGraph graph = make_step_graph(*training);
    const auto of = [&](OperationKind kind) { return totals(graph, kind); };
    CHECK(of(OperationKind::gather) + of(OperationKind::forward) + of(OperationKind::loss) +
              of(OperationKind::backward) ==
          gradient_cost(*training->network, 64));
  }
}

TEST_CASE("step graph: a forward pass reads its input with its parameters") {
  for (const char* name : {"mlp", "lenet", "lenet_large", "alexnet", "alexnet_cifar"}) {
    CAPTURE(name);
    const auto training = single_training(name);
    const StepGraph graph = make_step_graph(*training);
    Shape input = training->network->input().image;
    for (const std::size_t v : all_of(graph, OperationKind::forward)) {
      CAPTURE(graph[v].name);
      CHECK(graph[v].cost.read.total().value == 4 * (64 * input.size() + graph[v].parameters));
      input = *graph[v].output;
    }
  }
}

TEST_CASE("step graph: every edge leads onwards so there is no circle") {
  for (const double clip_norm : {0.0, 1.0}) {
    OptimizerSpec optimizer;
    optimizer.clip_norm = clip_norm;
    optimizer.weight_decay = 1e-4;
    optimizer.penalty_in_loss = true;
    const StepGraph graph = make_step_graph(*training_of({.servers = 2, .optimizer = optimizer}));
    std::vector<std::size_t> order;
    CHECK_NOTHROW(boost::topological_sort(graph, std::back_inserter(order)));
    const auto [first, last] = boost::edges(graph);
    CHECK(std::all_of(first, last, [&](auto edge) {
      return boost::source(edge, graph) < boost::target(edge, graph);
    }));
  }
}

TEST_CASE("step graph: what is added flows there from its layer, its gradient back") {
  const NetworkCase residual = residual_case();
  Training training = *single_training("softmax");
  training.network = std::make_shared<const Network>(residual.spec, residual.input);
  training.layout = std::make_shared<const Layout>(
      make_layout(training.network->parameters(), {1'000'000'000}, 1));
  const StepGraph graph = make_step_graph(training);
  const std::vector<std::size_t> forward = all_of(graph, OperationKind::forward);
  std::vector<std::size_t> backward = all_of(graph, OperationKind::backward);
  std::ranges::reverse(backward);  // by layer
  for (const Skip& skip : training.network->skips()) {
    CAPTURE(skip.from, skip.to);
    const std::vector<std::size_t> added = before(graph, forward[skip.to]);
    CHECK(std::ranges::count(added, forward[skip.from]) == 1);
    const std::vector<std::size_t> gradients = before(graph, backward[skip.from]);
    CHECK(std::ranges::count(gradients, backward[skip.to]) == 1);
  }
  const auto [first, last] = boost::edges(graph);
  CHECK(std::all_of(first, last, [&](auto edge) {
    return boost::source(edge, graph) < boost::target(edge, graph);
  }));
}

TEST_CASE("step graph: a single worker gathers then goes forward then back then applies") {
  const StepGraph graph = make_step_graph(*single_training("softmax"));
  std::vector<std::string> names;
  for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) names.push_back(graph[v].name);
  CHECK(names == std::vector<std::string>{"gather", "forward 0 dense 784 -> 10",
                                          "loss softmax_cross_entropy",
                                          "backward 0 dense 784 -> 10", "apply 0"});
  CHECK(before(graph, 4) == std::vector<std::size_t>{3});
}

TEST_CASE("step graph: a bucket leaves as soon as its lowest layer has gone backward") {
  const auto training = training_of({.network = "lenet_large", .bucket_size = {150'000}});
  const StepGraph graph = make_step_graph(*training);
  const auto pushes = all_of(graph, OperationKind::push);
  REQUIRE(pushes.size() == training->layout->buckets.size());
  const auto backward = all_of(graph, OperationKind::backward);  // the last layer's first
  bool spans_layers = false;
  for (const std::size_t push : pushes) {
    CAPTURE(graph[push].name);
    const auto sources = before(graph, push);
    REQUIRE_FALSE(sources.empty());
    spans_layers = spans_layers || sources.size() > 1;
    // The lowest layer is the last of the backward pass; the next pass begins after this push.
    const auto lowest = std::ranges::find(backward, sources.back());
    REQUIRE(lowest != backward.end());
    CHECK(push > *lowest);
    if (std::next(lowest) != backward.end()) CHECK(push < *std::next(lowest));
  }
  CHECK(spans_layers);
  CHECK(flow_into(graph, OperationKind::push, FlowKind::gradient) == 4 * 3'274'634);
  CHECK(flow_into(graph, OperationKind::pull, FlowKind::parameters) == 4 * 3'274'634);
}

TEST_CASE("step graph: a layer names the buckets that its gradient belongs to") {
  // lenet: 156 | 2,416 | 48,120 | 10,164 | 850 parameters in five buckets of at most 12,500.
  const auto training = training_of({.bucket_size = {50'000}});
  const StepGraph graph = make_step_graph(*training);
  const auto& buckets = training->layout->buckets;
  for (const std::size_t v : all_of(graph, OperationKind::backward)) {
    const Operation& operation = graph[v];
    const auto first =
        training->network->first_parameter(static_cast<std::size_t>(operation.layer));
    const auto last = first + operation.parameters;
    for (std::uint32_t b = 0; b < buckets.size(); ++b) {
      const bool shares = operation.parameters > 0 && first < buckets[b].first + buckets[b].count &&
                          last > buckets[b].first;
      const bool named =
          b >= operation.buckets.first && b < operation.buckets.first + operation.buckets.count;
      CAPTURE(operation.name, b);
      CHECK(shares == named);
    }
  }
}

TEST_CASE("step graph: a clipped gradient leaves once all of it is there") {
  OptimizerSpec optimizer;
  optimizer.clip_norm = 1;
  const StepGraph graph = make_step_graph(*training_of({.optimizer = optimizer}));
  const auto clip = all_of(graph, OperationKind::clip);
  REQUIRE(clip.size() == 1);
  for (const std::size_t push : all_of(graph, OperationKind::push))
    CHECK(before(graph, push) == clip);
  // Five layers of lenet have parameters.
  CHECK(before(graph, clip.front()).size() == 5);
  CHECK(graph[clip.front()].cost.flops.value == 3.0 * 61'706);
}

TEST_CASE("step graph: buckets shown as runs count as much as each by itself") {
  for (const int servers : {0, 1, 3}) {
    CAPTURE(servers);
    const auto training = training_of({.network = "lenet_large", .servers = servers});
    const StepGraph each = make_step_graph(*training);
    const StepGraph runs = make_step_graph(*training, BucketDetail::runs);
    CHECK(totals(each) == totals(runs));
    if (servers > 0) CHECK(boost::num_vertices(runs) < boost::num_vertices(each) / 4);
  }
}

TEST_CASE("step graph: an update costs what a server's job is said to cost") {
  OptimizerSpec optimizer;
  optimizer.name = GENERATE("sgd", "adam");
  const std::string network = GENERATE("lenet", "sparse_logistic");
  const std::string strategy = GENERATE("sync", "async");
  CAPTURE(optimizer.name, network, strategy);
  const auto training =
      training_of({.network = network, .strategy = strategy, .optimizer = optimizer});
  const StepGraph graph = make_step_graph(*training);
  const auto applies = all_of(graph, OperationKind::apply);
  REQUIRE(applies.size() == training->layout->buckets.size());
  for (const std::size_t v : applies) {
    const auto edge = *boost::in_edges(v, graph).first;  // from its push
    ShardBucket bucket(training, graph[v].buckets.first, {});
    const std::vector<Payload> gradients(strategy == "sync" ? 3 : 1,
                                         Payload::sized(graph[edge].size));
    CHECK(TotalCost(graph[v].cost) == bucket.apply_job(JobId{0}, gradients).cost);
  }
}

TEST_CASE("step graph: by a dense strategy all parameters of a sparse network are updated") {
  const auto training =
      training_of({.network = "sparse_logistic", .strategy = "all_reduce", .servers = 0});
  training->dense = true;
  training->touched_mean = 0;
  const StepGraph graph = make_step_graph(*training);
  std::int64_t updated = 0;
  for (const std::size_t v : all_of(graph, OperationKind::apply)) {
    CHECK(graph[v].cost.written.total().value == 4 * graph[v].parameters);
    updated += graph[v].parameters;
  }
  CHECK(updated == training->network->parameters());
}

TEST_CASE("step graph: a sparse gradient is as large as what a batch touches") {
  const StepGraph graph = make_step_graph(*training_of({.network = "sparse_logistic"}));
  CHECK(flow_into(graph, OperationKind::push, FlowKind::gradient) == 4 * 1001);
  CHECK(flow_into(graph, OperationKind::pull, FlowKind::parameters) == 4 * 1001);
  const Cost push = totals(graph, OperationKind::push);
  CHECK(push.written == Traffic{.messages = {4 * (2 + 3 * 1001)}});
  const Cost pull = totals(graph, OperationKind::pull);
  CHECK(pull.written == Traffic{.messages = {4 * 1001}});
}

TEST_CASE("step graph: workers that sum up among themselves reduce before the owner applies") {
  const auto training = training_of({.strategy = "all_reduce", .workers = 3, .servers = 0});
  training->layout = std::make_shared<const Layout>(
      make_round_robin_layout(training->network->parameters(), {50'000}, 3));
  const StepGraph graph = make_step_graph(*training);
  const auto reduces = all_of(graph, OperationKind::reduce);
  REQUIRE(reduces.size() == training->layout->buckets.size());
  // The owner adds two of three gradients: the incoming sum and its own.
  for (const std::size_t v : reduces) {
    CHECK(graph[v].cost == reduce_cost(graph[v].parameters, 2));
    CHECK(before(graph, v + 1).front() == v);
    CHECK(graph[v + 1].cost == apply_cost(graph[v].parameters, 2, *training->optimizer));
  }
  // The chief copies the parameters that others own.
  CHECK(totals(graph, OperationKind::pull).written.total().value ==
        4 * (61'706 - training->layout->buckets[0].count - training->layout->buckets[3].count));
}

TEST_CASE("step graph: parameters are averaged after the step of every round that ends it") {
  const auto training = training_of({.strategy = "local_sgd", .workers = 3, .servers = 0});
  set_option(training->options, "local_steps", 8);
  training->layout = std::make_shared<const Layout>(
      make_round_robin_layout(training->network->parameters(), {50'000}, 3));
  const StepGraph graph = make_step_graph(*training);
  const auto averages = all_of(graph, OperationKind::average);
  REQUIRE(averages.size() == training->layout->buckets.size());
  for (const std::size_t v : averages) {
    CHECK(graph[v].every == 8);
    CHECK(graph[v].cost ==
          reduce_cost(graph[v].parameters, 2) + average_cost(graph[v].parameters, 2));
    CHECK(graph[before(graph, v).front()].kind == OperationKind::apply);
    CHECK(graph[v + 1].kind == OperationKind::pull);
    CHECK(graph[v + 1].every == 8);
  }
  CHECK(totals(graph).flops.value == totals_of_every_step(graph).flops.value +
                                         totals(graph, OperationKind::average).flops.value);
}

}  // namespace
}  // namespace foretrain
