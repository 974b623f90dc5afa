#include "models/cost/work.h"

#include <algorithm>

namespace foretrain {
namespace {

Flops operations(std::int64_t count, double each) { return {static_cast<double>(count) * each}; }

/// The reading of logits and labels.
Cost logits_cost(const Network& network, std::int64_t examples) {
  Cost cost;
  cost.read.activations = {4 * examples * network.layers().back()->output().size()};
  cost.read.batch = {network.profiled() ? 0 : 4 * examples};
  return cost;
}

Cost forward_cost(const Network& network, std::int64_t examples) {
  Cost cost;
  for (const auto& layer : network.layers()) cost = cost + layer->forward_cost(examples);
  return cost;
}

}  // namespace

Cost batch_cost(const Network& network, std::int64_t examples) {
  Cost cost;
  if (network.profiled()) return cost;
  const InputShape& input = network.input();
  const Bytes labels{4 * examples};
  if (input.sparse()) {
    const double entries = static_cast<double>(examples) * input.sparse_entries;
    cost.read.batch = {static_cast<std::int64_t>(8 * entries)};
    cost.written.batch = cost.read.batch + labels;
  } else {
    cost.read.batch = {examples * input.image.size()};
    cost.written.batch = cost.read.batch * 4 + labels;
  }
  return cost;
}

Cost loss_cost(const Network& network, std::int64_t examples) {
  Cost cost = logits_cost(network, examples);
  cost.written.activations = cost.read.activations;
  return cost;
}

Cost penalty_cost(const Network& network, const OptimizerSpec& spec) {
  if (!spec.penalty_in_loss) return {};
  std::int64_t decaying = 0;
  for (const ParameterBlock& block : network.blocks()) {
    const double decay = block.bias ? spec.biases.weight_decay : spec.weight_decay;
    if (decay != 0) decaying += block.count;
  }
  Cost cost{operations(decaying, 2)};
  cost.read.parameters = {4 * decaying};
  return cost;
}

Cost clip_cost(std::int64_t gradient) {
  Cost cost{operations(gradient, 3)};  // a square, its addition, the scaling
  cost.read.gradients = {2 * 4 * gradient};
  cost.written.gradients = {4 * gradient};
  return cost;
}

Cost gradient_cost(const Network& network, std::int64_t examples) {
  Cost cost = batch_cost(network, examples) + forward_cost(network, examples) +
              loss_cost(network, examples);
  const auto layers = network.layers();
  for (const auto& layer : layers) {
    cost = cost + layer->backward_cost(examples, layer != layers.front());
  }
  return cost;
}

Cost evaluation_cost(const Network& network, std::int64_t examples) {
  return batch_cost(network, examples) + forward_cost(network, examples) +
         logits_cost(network, examples);
}

Cost apply_cost(std::int64_t parameters, std::int64_t gradients, const Optimizer& rule) {
  const double each = static_cast<double>(gradients) + rule.flops_per_parameter().value;
  Cost cost{operations(parameters, each)};
  cost.written.parameters = {4 * parameters};
  cost.written.state = {4 * parameters * rule.slots()};
  cost.read = cost.written;
  cost.read.gradients = {4 * parameters * gradients};
  return cost;
}

Cost sparse_apply_cost(std::int64_t parameters, std::int64_t pushes, Bytes size,
                       const Optimizer& rule) {
  // A third of a push is indices, a third gradients; parameters in several pushes count for each.
  Cost cost = apply_cost(std::min(parameters, size.value / 12), pushes, rule);
  cost.read.gradients = {};
  cost.read.messages = size;
  return cost;
}

Cost reduce_cost(std::int64_t parameters, std::int64_t addends) {
  const std::int64_t added = parameters * (addends - 1);
  Cost cost{operations(added, 1)};
  cost.read.gradients = {2 * 4 * added};
  cost.written.gradients = {4 * added};
  return cost;
}

Cost average_cost(std::int64_t parameters, std::int64_t addends) {
  Cost cost{operations(parameters, static_cast<double>(addends))};
  cost.read.parameters = {4 * parameters * addends};
  cost.written.parameters = {2 * 4 * parameters};
  return cost;
}

Cost encode_cost(Listed listed) {
  Cost cost;
  cost.read.gradients = {4 * listed.touched};
  cost.read.batch = {4 * (listed.touched + listed.wanted)};
  cost.written.messages = push_size(listed);
  return cost;
}

Cost decode_cost(Listed listed) {
  Cost cost;
  cost.read.messages = push_size(listed) - Bytes{4 * listed.touched};
  return cost;
}

Cost gather_cost(std::int64_t wanted) {
  Cost cost;
  cost.read.parameters = {4 * wanted};
  cost.read.messages = {4 * wanted};
  cost.written.messages = {4 * wanted};
  return cost;
}

Cost pick_cost(std::int64_t wanted) {
  Cost cost = copy_cost(wanted);
  cost.read.batch = {4 * wanted};
  return cost;
}

Cost compress_cost(std::int64_t gradient, Bytes size, bool keeps_rest) {
  const Bytes kept{keeps_rest ? 4 * gradient : 0};
  Cost cost;
  cost.read.gradients = Bytes{4 * gradient} + kept;
  cost.written.gradients = kept;
  cost.written.messages = size;
  return cost;
}

Cost expand_cost(std::int64_t gradient, Bytes size) {
  Cost cost;
  cost.read.messages = size;
  cost.written.gradients = {4 * gradient};
  return cost;
}

Cost copy_cost(std::int64_t parameters) { return copy_cost(Bytes{4 * parameters}); }

Cost copy_cost(Bytes size) {
  Cost cost;
  cost.read.parameters = size;
  cost.written.parameters = size;
  return cost;
}

}  // namespace foretrain
