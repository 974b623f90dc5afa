#include "models/graph/step_graph.h"

#include "models/base/check.h"
#include "models/graph/touched.h"
#include "models/protocol/registry.h"
#include "models/protocol/sparse_payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace foretrain {
namespace {

using Vertex = StepGraph::vertex_descriptor;

/// Layers, first to last.
struct LayerRun {
  std::size_t first = 0;
  std::size_t last = 0;

  bool operator==(const LayerRun&) const = default;
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
  /// Buckets that are shown as one.
  struct Run {
    BucketRun buckets;
    LayerRun layers;    // whose gradients they hold
    Vertex source = 0;  // their push, where there are servers
  };

  [[nodiscard]] const Layer& layer(std::size_t i) const { return *network_.layers()[i]; }
  [[nodiscard]] bool clips() const { return training_.optimizer_spec.clip_norm > 0; }
  [[nodiscard]] bool has_servers() const { return training_.servers > 0; }
  [[nodiscard]] Shape input_of(std::size_t i) const {
    return i == 0 ? network_.input().image : layer(i - 1).output();
  }
  [[nodiscard]] Bytes output_bytes(std::size_t i) const {
    return {4 * batch_ * layer(i).output().size()};
  }
  [[nodiscard]] Bytes labels() const { return {network_.profiled() ? 0 : 4 * batch_}; }
  [[nodiscard]] Bytes inputs() const {
    const InputShape& input = network_.input();
    if (!input.sparse()) return {4 * batch_ * input.image.size()};
    return {static_cast<std::int64_t>(8 * static_cast<double>(batch_) * input.sparse_entries)};
  }

  void cut_runs(BucketDetail detail);
  [[nodiscard]] LayerRun layers_of(const Bucket& bucket) const;
  [[nodiscard]] BucketRun buckets_of(std::size_t i) const;
  [[nodiscard]] std::int64_t parameters_in(BucketRun run) const;
  [[nodiscard]] std::int64_t touched_in(BucketRun run) const;
  [[nodiscard]] Bytes push_bytes(BucketRun run) const;

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

/// A profile's layers do not say what they make.
std::optional<Shape> known(Shape shape) {
  return shape.size() > 0 ? std::optional(shape) : std::nullopt;
}

std::string run_name(std::string_view what, BucketRun run) {
  if (run.count == 1) return fmt::format("{} {}", what, run.first);
  return fmt::format("{} {}-{}", what, run.first, run.first + run.count - 1);
}

LayerRun Builder::layers_of(const Bucket& bucket) const {
  LayerRun run{network_.layers().size(), 0};
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
    const LayerRun layers = layers_of(buckets_[b]);
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
  if (!training_.sparse()) return {4 * parameters_in(run)};
  Bytes bytes;
  for (std::uint32_t b = run.first; b < run.first + run.count; ++b) {
    bytes += push_size(touched_mean(training_, buckets_[b]), false);
  }
  return bytes;
}

void Builder::gather() {
  const std::int64_t numbers = inputs().value / 4;
  Operation operation{.kind = OperationKind::gather, .name = "gather"};
  if (!network_.sparse()) operation.output = known(network_.input().image);
  operation.read = network_.sparse() ? inputs() : Bytes{numbers};
  operation.written = inputs() + labels();
  gather_ = add(operation);
}

void Builder::forward(std::size_t i) {
  const Cost cost = layer(i).forward_cost(batch_);
  Operation operation{.kind = OperationKind::forward,
                      .name = fmt::format("forward {} {}", i, layer(i).name()),
                      .layer = static_cast<int>(i)};
  operation.output = known(layer(i).output());
  operation.parameters = layer(i).parameters();
  operation.flops = cost.flops;
  operation.measured = cost.measured;
  operation.written = output_bytes(i) + Bytes{layer(i).saved_bytes(batch_)};
  operation.read = cost.bytes - operation.written;
  operation.buckets = buckets_of(i);
  forward_.push_back(add(operation));
  if (i == 0) {
    connect(gather_, forward_[0], FlowKind::batch, inputs());
  } else {
    connect(forward_[i - 1], forward_[i], FlowKind::activation, output_bytes(i - 1));
  }
}

void Builder::loss() {
  const Bytes logits = output_bytes(forward_.size() - 1);
  Operation operation{.kind = OperationKind::loss,
                      .name = fmt::format("loss {}", network_.loss_name())};
  operation.output = known(layer(forward_.size() - 1).output());
  operation.read = logits + labels();
  operation.written = logits;
  loss_ = add(operation);
  connect(gather_, loss_, FlowKind::batch, labels());
  connect(forward_.back(), loss_, FlowKind::activation, logits);
  if (training_.optimizer_spec.penalty_in_loss) penalty(loss_);
}

void Builder::penalty(Vertex loss) {
  const OptimizerSpec& spec = training_.optimizer_spec;
  Operation operation{.kind = OperationKind::penalty, .name = "penalty"};
  for (const ParameterBlock& block : network_.blocks()) {
    const double decay = block.bias ? spec.biases.weight_decay : spec.weight_decay;
    if (decay != 0) operation.parameters += block.count;
  }
  operation.flops = Flops{2.0 * static_cast<double>(operation.parameters)};
  operation.read = {4 * operation.parameters};
  connect(loss, add(operation), FlowKind::loss, {8});
}

void Builder::backward(std::size_t i) {
  const Cost cost = layer(i).backward_cost(batch_, i > 0);
  const Bytes gradient{4 * touched(training_, i)};
  Operation operation{.kind = OperationKind::backward,
                      .name = fmt::format("backward {} {}", i, layer(i).name()),
                      .layer = static_cast<int>(i)};
  if (i > 0) operation.output = known(input_of(i));
  operation.parameters = layer(i).parameters();
  operation.flops = cost.flops;
  operation.measured = cost.measured;
  // A sparse layer's cost goes by the mean example, its gradient by the batches seen.
  operation.written = std::min(cost.bytes, gradient + (i > 0 ? output_bytes(i - 1) : Bytes{}));
  operation.read = cost.bytes - operation.written;
  operation.buckets = buckets_of(i);
  backward_[i] = add(operation);
  if (i + 1 == network_.layers().size()) {
    connect(loss_, backward_[i], FlowKind::derivative, output_bytes(i));
  } else {
    connect(backward_[i + 1], backward_[i], FlowKind::derivative, output_bytes(i));
  }
  connect(forward_[i], backward_[i], FlowKind::kept,
          output_bytes(i) + Bytes{layer(i).saved_bytes(batch_)});
  if (i == 0) connect(gather_, backward_[0], FlowKind::batch, inputs());
}

void Builder::clip() {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < backward_.size(); ++i) count += touched(training_, i);
  Operation operation{.kind = OperationKind::clip, .name = "clip"};
  operation.parameters = network_.parameters();
  // A square, its addition, the scaling; the gradient is read for the norm, then to scale it.
  operation.flops = Flops{3.0 * static_cast<double>(count)};
  operation.read = {2 * 4 * count};
  operation.written = {4 * count};
  operation.buckets = {0, static_cast<std::uint32_t>(buckets_.size())};
  clip_ = add(operation);
  for (std::size_t i = backward_.size(); i-- > 0;) {
    if (layer(i).parameters() == 0) continue;
    connect(backward_[i], clip_, FlowKind::gradient, {4 * touched(training_, i)});
  }
}

/// Edges from whatever finished the gradients of `run`.
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

/// Pushes the buckets whose gradients are whole once layer `i` has gone backward.
void Builder::leave(std::size_t i) {
  if (!has_servers()) return;
  for (Run& run : runs_) {
    if (run.layers.first != i) continue;
    Operation operation{.kind = OperationKind::push, .name = run_name("push", run.buckets)};
    operation.parameters = parameters_in(run.buckets);
    operation.read = push_bytes(run.buckets);
    operation.buckets = run.buckets;
    run.source = add(operation);
    connect_gradients(run, run.source);
  }
}

void Builder::update() {
  const Protocol& protocol = protocol_called(training_.strategy);
  const auto gradients = protocol.gradients_an_apply(training_.options, training_.workers);
  const Optimizer& rule = *training_.optimizer;
  for (const Run& run : runs_) {
    Operation apply{.kind = OperationKind::apply, .name = run_name("apply", run.buckets)};
    apply.parameters = parameters_in(run.buckets);
    const Bytes pushed = push_bytes(run.buckets) * gradients;
    // Of a sparse push a third is gradients; what several touch is counted for each.
    const std::int64_t count =
        training_.sparse() ? std::min(apply.parameters, pushed.value / 12) : apply.parameters;
    apply.flops = Flops{static_cast<double>(count) *
                        (static_cast<double>(gradients) + rule.flops_per_parameter().value)};
    const Bytes changed{4 * count * (1 + rule.slots())};
    apply.read = pushed + changed;
    apply.written = changed;
    apply.buckets = run.buckets;
    const Vertex applied = add(apply);
    if (!has_servers()) {
      connect_gradients(run, applied);
      continue;
    }
    connect(run.source, applied, FlowKind::gradient, push_bytes(run.buckets));
    Operation pull{.kind = OperationKind::pull, .name = run_name("pull", run.buckets)};
    pull.parameters = parameters_in(run.buckets);
    pull.written = {4 * touched_in(run.buckets)};
    pull.buckets = run.buckets;
    const Bytes size = pull.written;
    connect(applied, add(pull), FlowKind::parameters, size);
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

namespace {

template <class Wanted>
GraphTotals sum(const StepGraph& graph, Wanted wanted) {
  GraphTotals total;
  for (Vertex v = 0; v < boost::num_vertices(graph); ++v) {
    const Operation& operation = graph[v];
    if (!wanted(operation.kind)) continue;
    total.flops = total.flops + operation.flops;
    total.read += operation.read;
    total.written += operation.written;
    total.measured += operation.measured;
  }
  return total;
}

}  // namespace

GraphTotals totals(const StepGraph& graph) {
  return sum(graph, [](OperationKind) { return true; });
}

GraphTotals totals(const StepGraph& graph, OperationKind kind) {
  return sum(graph, [&](OperationKind k) { return k == kind; });
}

}  // namespace foretrain
