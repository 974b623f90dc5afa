#include "models/networks/workspace.h"

#include "models/base/check.h"

#include <algorithm>

namespace foretrain {
namespace {

// Rounded up to a cache line.
std::size_t padded_floats(std::int64_t floats) {
  return (static_cast<std::size_t>(floats) + 15) / 16 * 16;
}

}  // namespace

Network::Workspace::Plan::Plan(const Layers& layers, std::int64_t batch) : examples(batch) {
  std::size_t gradient_sizes[2] = {0, 0};
  std::int64_t scratch_most = 0;
  outputs.reserve(layers.size());
  saved.reserve(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::size_t size = padded_floats(batch * layers[i]->output().size());
    outputs.push_back(total);
    total += size;
    gradient_sizes[i % 2] = std::max(gradient_sizes[i % 2], size);
    scratch_most = std::max(scratch_most, layers[i]->scratch_floats(batch));
  }
  for (const auto& layer : layers) {
    saved.push_back(total);
    total += padded_floats((layer->saved_bytes(batch) + 3) / 4);
  }
  for (std::size_t parity = 0; parity < 2; ++parity) {
    gradients[parity] = total;
    total += gradient_sizes[parity];
  }
  scratch = total;
  total += padded_floats(scratch_most);
}

Bytes Network::Workspace::size(const Layers& layers, std::int64_t batch) {
  return {static_cast<std::int64_t>(Plan(layers, batch).total) * 4};
}

void Network::Workspace::cut(std::int64_t examples) {
  const auto found = std::ranges::find(plans_, examples, &Plan::examples);
  plan_ = found != plans_.end() ? &*found : &plans_.emplace_back(layers_, examples);
  memory_.reserve(plan_->total);
}

std::span<float> Network::Workspace::output(std::size_t layer) {
  return {memory_.data() + plan_->outputs[layer],
          static_cast<std::size_t>(plan_->examples * layers_[layer]->output().size())};
}

std::span<float> Network::Workspace::output_gradient(std::size_t layer) {
  return {memory_.data() + plan_->gradients[layer % 2],
          static_cast<std::size_t>(plan_->examples * layers_[layer]->output().size())};
}

std::byte* Network::Workspace::saved(std::size_t layer) {
  return reinterpret_cast<std::byte*>(memory_.data() + plan_->saved[layer]);
}

float* Network::Workspace::scratch() { return memory_.data() + plan_->scratch; }

Pass::Pass(const Network& network, Network::Workspace& workspace, std::span<const float> parameters,
           const Batch& batch, Parallel& parallel)
    : network_(network),
      workspace_(workspace),
      parameters_(parameters),
      batch_(batch),
      parallel_(parallel),
      compact_(static_cast<std::int64_t>(parameters.size()) != network.parameters()) {
  workspace_.cut(batch.examples);
}

Pass::Range Pass::range(std::size_t layer) const {
  // A batch that lacks features shortens the first layer alone.
  const auto missing = static_cast<std::size_t>(network_.parameters()) - parameters_.size();
  const auto first = static_cast<std::size_t>(network_.first_parameter(layer));
  const auto count = static_cast<std::size_t>(network_.layers()[layer]->parameters());
  return layer == 0 ? Range{0, count - missing} : Range{first - missing, count};
}

void Pass::fill(LayerPass& pass, std::size_t layer) {
  const Range at = range(layer);
  pass.batch = batch_.examples;
  pass.parameters = parameters_.subspan(at.first, at.count);
  if (layer > 0) {
    pass.input = workspace_.output(layer - 1).data();
  } else if (network_.sparse()) {
    pass.sparse = &batch_.sparse;
    pass.compact = compact_;
  } else {
    pass.input = batch_.inputs.data();
  }
  const int other = network_.layers()[layer]->other();
  if (other >= 0) pass.other = workspace_.output(static_cast<std::size_t>(other)).data();
  pass.statistics = workspace_.statistics.data() + network_.first_statistic(layer);
  pass.saved = workspace_.saved(layer);
  pass.scratch = workspace_.scratch();
  pass.parallel = &parallel_;
}

void Pass::forward(std::size_t first, std::size_t last, bool training) {
  const auto layers = network_.layers();
  for (std::size_t i = first; i < last; ++i) {
    ForwardPass pass;
    fill(pass, i);
    pass.output = workspace_.output(i).data();
    pass.dropout = training ? &workspace_.dropout : nullptr;
    layers[i]->forward(pass);
  }
}

void Pass::backward(std::size_t first, std::size_t last, std::span<float> gradient) {
  const auto layers = network_.layers();
  for (std::size_t i = last; i-- > first;) {
    const Range at = range(i);
    BackwardPass pass;
    fill(pass, i);
    pass.output = workspace_.output(i).data();
    pass.output_gradient = workspace_.output_gradient(i).data();
    pass.input_gradient = i > 0 ? workspace_.output_gradient(i - 1).data() : nullptr;
    pass.gradient = gradient.subspan(at.first, at.count);
    layers[i]->backward(pass);
    if (i > 0) add_skipped(i - 1, pass.input_gradient);
  }
}

void Pass::add_skipped(std::size_t layer, float* gradient) {
  for (const Skip& skip : network_.skips()) {
    if (skip.from != layer) continue;
    LayerPass pass;
    fill(pass, skip.to);
    network_.layers()[skip.to]->add_gradient(pass, gradient);
  }
}

std::span<const float> Pass::logits() { return workspace_.output(network_.layers().size() - 1); }

std::span<float> Pass::logit_gradient() {
  return workspace_.output_gradient(network_.layers().size() - 1);
}

}  // namespace foretrain
