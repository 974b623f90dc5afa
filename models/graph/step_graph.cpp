#include "models/graph/step_graph.h"

#include "models/base/check.h"
#include "models/cost/work.h"
#include "models/protocol/registry.h"
#include "models/protocol/touched.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Vertex = StepGraph::vertex_descriptor;

/// Layers from `first` to `last`, included.
struct LayerSpan {
  std::size_t first = 0;
  std::size_t last = 0;

  bool operator==(const LayerSpan&) const = default;
};

class Builder {
 public:
  Builder(const Training& training, BucketDetail detail)
      : training_(training),
        network_(*training.network),
        buckets_(training.layout->buckets),
        batch_(training.batch_size) {
    cut_runs(detail);
  }

  StepGraph build() {
    gather();
    for (std::size_t i = 0; i < network_.layers().size(); ++i) forward(i);
    loss();
    for (std::size_t i = network_.layers().size(); i-- > 0;) {
      backward(i);
      if (!clips()) leave(i);
    }
    if (clips()) {
      clip();
      for (std::size_t i = network_.layers().size(); i-- > 0;) leave(i);
    }
    update();
    return graph_;
  }

 private:
  /// Buckets that are shown as one operation.
  struct Run {
    BucketRun buckets;
    LayerSpan layers;   // layers whose gradients they hold
    Vertex source = 0;  // their push, if there are servers
  };

  [[nodiscard]] const Layer& layer(std::size_t i) const { return *network_.layers()[i]; }
  [[nodiscard]] bool clips() const { return training_.optimizer_spec.clip_norm > 0; }
  [[nodiscard]] bool has_servers() const { return training_.servers > 0; }
  /// A gradient is encoded in pushes, for a server, or to apply it as a sparse one.
  [[nodiscard]] bool pushes() const { return has_servers() || training_.sparse(); }
  [[nodiscard]] Shape input_of(std::size_t i) const {
    return i == 0 ? network_.input().image : layer(i - 1).output();
  }
  [[nodiscard]] Bytes output_bytes(std::size_t i) const {
    return {4 * batch_ * layer(i).output().size()};
  }
  [[nodiscard]] Bytes labels() const { return loss_cost(network_, batch_).read.batch; }
  [[nodiscard]] Bytes inputs() const {
    return batch_cost(network_, batch_).written.batch - labels();
  }

  /// The cost of all batches of a gradient, from the `cost` of one.
  [[nodiscard]] Cost of_all_batches(const Cost& cost) const {
    Cost all = cost;
    for (int batch = 1; batch < training_.accumulate; ++batch) all = all + cost;
    return all;
  }

  void cut_runs(BucketDetail detail);
  [[nodiscard]] LayerSpan layers_of(const Bucket& bucket) const;
  [[nodiscard]] BucketRun buckets_of(std::size_t i) const;
  [[nodiscard]] std::int64_t parameters_in(BucketRun run) const;
  [[nodiscard]] std::int64_t touched_in(BucketRun run) const;
  [[nodiscard]] Bytes push_bytes(BucketRun run) const;
  /// The sum of the costs of the buckets in `run`.
  [[nodiscard]] Operation of_buckets(OperationKind kind, std::string_view name, const Run& run,
                                     Cost BucketCost::*part) const;

  Vertex add(const Operation& operation) { return boost::add_vertex(operation, graph_); }
  void connect(Vertex from, Vertex to, FlowKind kind, Bytes size) {
    boost::add_edge(from, to, Flow{kind, size}, graph_);
  }
  void connect_gradients(const Run& run, Vertex to);

  void gather();
  void forward(std::size_t i);
  void loss();
  void penalty(Vertex loss);
  void backward(std::size_t i);
  void clip();
  void leave(std::size_t i);
  Vertex add_apply(const Run& run);
  void update();

  const Training& training_;
  const Network& network_;
  const std::vector<Bucket>& buckets_;
  const std::int64_t batch_;
  std::vector<Run> runs_;
  StepGraph graph_;
  Vertex gather_ = 0;
  Vertex loss_ = 0;
  Vertex clip_ = 0;
  std::vector<Vertex> forward_;
  std::vector<Vertex> backward_ = std::vector<Vertex>(network_.layers().size());  // by layer
};

/// A profile's layers do not have output shapes.
std::optional<Shape> known(Shape shape) {
  return shape.size() > 0 ? std::optional(shape) : std::nullopt;
}

std::string run_name(std::string_view what, BucketRun run) {
  if (run.count == 1) return fmt::format("{} {}", what, run.first);
  return fmt::format("{} {}-{}", what, run.first, run.first + run.count - 1);
}

LayerSpan Builder::layers_of(const Bucket& bucket) const {
  LayerSpan run{network_.layers().size(), 0};
  for (std::size_t i = 0; i < network_.layers().size(); ++i) {
    const std::int64_t first = network_.first_parameter(i);
    const std::int64_t last = first + layer(i).parameters();
    if (std::max(first, bucket.first) >= std::min(last, bucket.first + bucket.count)) continue;
    run.first = std::min(run.first, i);
    run.last = std::max(run.last, i);
  }
  FT_CHECK_OP(run.first, <=, run.last);
  return run;
}

void Builder::cut_runs(BucketDetail detail) {
  runs_.reserve(buckets_.size());
  for (std::uint32_t b = 0; b < buckets_.size(); ++b) {
    const LayerSpan layers = layers_of(buckets_[b]);
    if (detail == BucketDetail::runs && b > 0 && runs_.back().layers == layers &&
        buckets_[b - 1].shard == buckets_[b].shard) {
      ++runs_.back().buckets.count;
      continue;
    }
    runs_.push_back({{b, 1}, layers, 0});
  }
}

BucketRun Builder::buckets_of(std::size_t i) const {
  const std::int64_t first = network_.first_parameter(i);
  const std::int64_t last = first + layer(i).parameters();
  BucketRun run;
  for (std::uint32_t b = 0; b < buckets_.size(); ++b) {
    if (std::max(first, buckets_[b].first) >=
        std::min(last, buckets_[b].first + buckets_[b].count)) {
      continue;
    }
    if (run.count == 0) run.first = b;
    ++run.count;
  }
  return run;
}

std::int64_t Builder::parameters_in(BucketRun run) const {
  std::int64_t count = 0;
  for (std::uint32_t b = run.first; b < run.first + run.count; ++b) count += buckets_[b].count;
  return count;
}

std::int64_t Builder::touched_in(BucketRun run) const {
  if (!training_.sparse()) return parameters_in(run);
  std::int64_t count = 0;
  for (std::uint32_t b = run.first; b < run.first + run.count; ++b) {
    count += touched_mean(training_, buckets_[b]);
  }
  return count;
}

Bytes Builder::push_bytes(BucketRun run) const {
  Bytes bytes;
  for (std::uint32_t b = run.first; b < run.first + run.count; ++b) {
    bytes += training_.sparse() ? push_size(listed_mean(training_, buckets_[b], false))
                                : compressed_size(training_.compression, buckets_[b].count);
  }
  return bytes;
}

Operation Builder::of_buckets(OperationKind kind, std::string_view name, const Run& run,
                              Cost BucketCost::*part) const {
  Operation operation{.kind = kind, .name = run_name(name, run.buckets)};
  operation.parameters = parameters_in(run.buckets);
  operation.buckets = run.buckets;
  for (std::uint32_t b = run.buckets.first; b < run.buckets.first + run.buckets.count; ++b) {
    operation.cost = operation.cost + bucket_cost(training_, buckets_[b]).*part;
  }
  return operation;
}

void Builder::gather() {
  Operation operation{.kind = OperationKind::gather, .name = "gather"};
  if (!network_.sparse()) operation.output = known(network_.input().image);
  operation.cost = of_all_batches(batch_cost(network_, batch_));
  gather_ = add(operation);
}

void Builder::forward(std::size_t i) {
  Operation operation{.kind = OperationKind::forward,
                      .name = fmt::format("forward {} {}", i, layer(i).name()),
                      .layer = static_cast<int>(i)};
  operation.output = known(layer(i).output());
  operation.parameters = layer(i).parameters();
  operation.cost = of_all_batches(layer(i).forward_cost(batch_));
  operation.buckets = buckets_of(i);
  forward_.push_back(add(operation));
  if (i == 0) {
    connect(gather_, forward_[0], FlowKind::batch, inputs());
  } else {
    connect(forward_[i - 1], forward_[i], FlowKind::activation, output_bytes(i - 1));
  }
  for (const Skip& skip : network_.skips()) {
    if (skip.to != i) continue;
    connect(forward_[skip.from], forward_[i], FlowKind::activation, output_bytes(skip.from));
  }
}

void Builder::loss() {
  const Bytes logits = output_bytes(forward_.size() - 1);
  Operation operation{.kind = OperationKind::loss,
                      .name = fmt::format("loss {}", network_.loss_name())};
  operation.output = known(layer(forward_.size() - 1).output());
  operation.cost = of_all_batches(loss_cost(network_, batch_));
  loss_ = add(operation);
  connect(gather_, loss_, FlowKind::batch, labels());
  connect(forward_.back(), loss_, FlowKind::activation, logits);
  if (training_.optimizer_spec.penalty_in_loss) penalty(loss_);
}

void Builder::penalty(Vertex loss) {
  Operation operation{.kind = OperationKind::penalty, .name = "penalty"};
  const Cost cost = penalty_cost(network_, training_.optimizer_spec);
  operation.cost = of_all_batches(cost);
  operation.parameters = cost.read.parameters.value / 4;
  connect(loss, add(operation), FlowKind::loss, {8});
}

void Builder::backward(std::size_t i) {
  Operation operation{.kind = OperationKind::backward,
                      .name = fmt::format("backward {} {}", i, layer(i).name()),
                      .layer = static_cast<int>(i)};
  if (i > 0) operation.output = known(input_of(i));
  operation.parameters = layer(i).parameters();
  operation.cost = of_all_batches(layer(i).backward_cost(batch_, i > 0));
  if (!network_.profiled() && training_.adds_batches()) {
    operation.cost = operation.cost + reduce_cost(layer(i).parameters(), training_.accumulate);
  }
  operation.buckets = buckets_of(i);
  backward_[i] = add(operation);
  if (i + 1 == network_.layers().size()) {
    connect(loss_, backward_[i], FlowKind::derivative, output_bytes(i));
  } else {
    connect(backward_[i + 1], backward_[i], FlowKind::derivative, output_bytes(i));
  }
  for (const Skip& skip : network_.skips()) {
    if (skip.from != i) continue;
    connect(backward_[skip.to], backward_[i], FlowKind::derivative, output_bytes(skip.to));
  }
  const bool behind = i + 1 < network_.layers().size() && layer(i + 1).reads().input;
  const Bytes output = behind || layer(i).reads().output ? output_bytes(i) : Bytes{};
  const Bytes kept = output + Bytes{layer(i).saved_bytes(batch_)};
  if (kept.value > 0) connect(forward_[i], backward_[i], FlowKind::kept, kept);
  if (i == 0) connect(gather_, backward_[0], FlowKind::batch, inputs());
}

void Builder::clip() {
  Operation operation{.kind = OperationKind::clip, .name = "clip"};
  operation.parameters = network_.parameters();
  operation.cost = clip_cost(touched(training_));
  operation.buckets = {0, static_cast<std::uint32_t>(buckets_.size())};
  clip_ = add(operation);
  for (std::size_t i = backward_.size(); i-- > 0;) {
    if (layer(i).parameters() == 0) continue;
    connect(backward_[i], clip_, FlowKind::gradient, {4 * touched(training_, i)});
  }
}

/// Adds edges from the operations that complete the gradients of `run`.
void Builder::connect_gradients(const Run& run, Vertex to) {
  if (clips()) return connect(clip_, to, FlowKind::gradient, {4 * touched_in(run.buckets)});
  const Bucket& first = buckets_[run.buckets.first];
  const std::int64_t end = first.first + parameters_in(run.buckets);
  for (std::size_t i = run.layers.last + 1; i-- > run.layers.first;) {
    const std::int64_t begin = std::max(network_.first_parameter(i), first.first);
    const std::int64_t last = std::min(network_.first_parameter(i) + layer(i).parameters(), end);
    if (begin >= last) continue;
    const std::int64_t count = training_.sparse() ? touched_in(run.buckets) : last - begin;
    connect(backward_[i], to, FlowKind::gradient, {4 * count});
  }
}

/// Pushes the buckets whose gradients are complete after the backward pass of layer `i`.
void Builder::leave(std::size_t i) {
  if (!pushes()) return;
  for (Run& run : runs_) {
    if (run.layers.first != i) continue;
    run.source = add(of_buckets(OperationKind::push, "push", run, &BucketCost::push));
    connect_gradients(run, run.source);
  }
}

/// Adds the apply; without servers after the reduce, or directly after the gradient.
Vertex Builder::add_apply(const Run& run) {
  const Bytes pushed = push_bytes(run.buckets);
  Operation reduce = of_buckets(OperationKind::reduce, "reduce", run, &BucketCost::reduce);
  const bool adds_up = reduce.cost != Cost{};
  const Vertex reduced = adds_up ? add(reduce) : 0;
  const Vertex applied = add(of_buckets(OperationKind::apply, "apply", run, &BucketCost::apply));
  if (adds_up) connect_gradients(run, reduced);
  if (!adds_up && !pushes()) connect_gradients(run, applied);
  if (adds_up || pushes()) {
    connect(adds_up ? reduced : run.source, applied, FlowKind::gradient, pushed);
  }
  return applied;
}

void Builder::update() {
  const Protocol& protocol = *training_.protocol;
  const std::int64_t averaged = protocol.steps_an_averaging(training_.options);
  const bool alone =
      !has_servers() && protocol.gradients_an_apply(training_.options, training_.workers) == 1;
  for (const Run& run : runs_) {
    Vertex renewed = add_apply(run);
    if (averaged == 0 && alone && !pushes()) continue;
    const Bytes values{4 * touched_in(run.buckets)};
    Operation pull = of_buckets(OperationKind::pull, "pull", run, &BucketCost::pull);
    if (averaged > 0) {
      Operation average = of_buckets(OperationKind::average, "average", run, &BucketCost::average);
      average.every = pull.every = averaged;
      const Vertex mean = add(average);
      connect(std::exchange(renewed, mean), mean, FlowKind::parameters, values);
    }
    connect(renewed, add(pull), FlowKind::parameters, values);
  }
}

}  // namespace

StepGraph make_step_graph(const Training& training, BucketDetail detail) {
  return Builder(training, detail).build();
}

std::string_view to_string(FlowKind kind) {
  constexpr std::string_view kNames[] = {"batch",    "activation", "kept",      "derivative",
                                         "gradient", "loss",       "parameters"};
  return kNames[static_cast<std::size_t>(kind)];
}

Cost totals(const StepGraph& graph) {
  Cost total;
  for (Vertex v = 0; v < boost::num_vertices(graph); ++v) total = total + graph[v].cost;
  return total;
}

Cost totals_of_every_step(const StepGraph& graph) {
  Cost total;
  for (Vertex v = 0; v < boost::num_vertices(graph); ++v) {
    if (graph[v].every == 1) total = total + graph[v].cost;
  }
  return total;
}

Cost totals(const StepGraph& graph, OperationKind kind) {
  Cost total;
  for (Vertex v = 0; v < boost::num_vertices(graph); ++v) {
    if (graph[v].kind == kind) total = total + graph[v].cost;
  }
  return total;
}

}  // namespace foretrain
