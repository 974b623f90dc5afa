#include "models/networks/workspace.h"

#include "models/base/check.h"

#include <algorithm>

namespace foretrain {

void Network::Workspace::prepare(std::int64_t examples) {
  const auto found = std::ranges::find(plans_, examples, &WorkspacePlan::examples);
  plan_ = found != plans_.end() ? &*found
                                : &plans_.emplace_back(network_.planned(part_begins_), examples);
  memory_.reserve(static_cast<std::size_t>(plan_->size().value / 4));
}

float* Network::Workspace::at(const WorkspacePlan::Place& place, std::size_t layer,
                              std::int64_t example) {
  const std::int64_t before = place.whole ? example * network_.layers()[layer]->output().size() : 0;
  return memory_.data() + place.first + before;
}

float* Network::Workspace::output(std::size_t layer, std::int64_t example) {
  return at(plan_->output(layer), layer, example);
}

float* Network::Workspace::output_gradient(std::size_t layer, std::int64_t example) {
  return at(plan_->gradient(layer), layer, example);
}

std::byte* Network::Workspace::saved(std::size_t layer, std::int64_t example) {
  const std::int64_t before = example > 0 ? network_.layers()[layer]->saved_bytes(example) : 0;
  return reinterpret_cast<std::byte*>(memory_.data() + plan_->saved(layer).first) + before;
}

float* Network::Workspace::scratch() { return memory_.data() + plan_->scratch().first; }

Pass::Pass(const Network& network, Network::Workspace& workspace, std::span<const float> parameters,
           const Batch& batch, Parallel& parallel)
    : network_(network),
      workspace_(workspace),
      parameters_(parameters),
      batch_(batch),
      parallel_(parallel),
      compact_(static_cast<std::int64_t>(parameters.size()) != network.parameters()) {
  workspace_.prepare(batch.examples);
}

Pass::Range Pass::range(std::size_t layer) const {
  // With a batch that lacks features only the first layer has fewer parameters.
  const auto missing = static_cast<std::size_t>(network_.parameters()) - parameters_.size();
  const auto first = static_cast<std::size_t>(network_.first_parameter(layer));
  const auto count = static_cast<std::size_t>(network_.layers()[layer]->parameters());
  return layer == 0 ? Range{0, count - missing} : Range{first - missing, count};
}

std::span<const LayerRun> Pass::runs(std::size_t first, std::size_t last) const {
  const auto all = workspace_.plan().runs();
  const auto begin = std::ranges::find(all, first, &LayerRun::first);
  const auto end = std::ranges::find(all, last, &LayerRun::first);
  FT_CHECK(begin != all.end());
  FT_CHECK(end != all.end() || last == network_.layers().size());
  return {begin, end};
}

void Pass::fill(LayerPass& pass, std::size_t layer, const Examples& of) {
  const Range at = range(layer);
  pass.batch = of.count;
  pass.parameters = parameters_.subspan(at.first, at.count);
  if (layer > 0) {
    pass.input = workspace_.output(layer - 1, of.first);
  } else if (network_.sparse()) {
    pass.sparse = &batch_.sparse;
    pass.compact = compact_;
  } else {
    pass.input = batch_.inputs.data() + of.first * network_.input().image.size();
  }
  const int other = network_.layers()[layer]->other();
  if (other >= 0) pass.other = workspace_.output(static_cast<std::size_t>(other), of.first);
  pass.statistics = workspace_.statistics.data() + network_.first_statistic(layer);
  pass.saved = workspace_.saved(layer, of.first);
  pass.scratch = workspace_.scratch();
  pass.parallel = &parallel_;
}

template <class Group>
void Pass::for_groups(const LayerRun& run, const Group& pass) {
  for (std::int64_t first = 0; first < batch_.examples; first += run.group) {
    pass(Examples{first, std::min(run.group, batch_.examples - first)});
  }
}

void Pass::forward(std::size_t first, std::size_t last, bool training) {
  for (const LayerRun& run : runs(first, last)) {
    for_groups(run, [&](const Examples& of) {
      for (std::size_t i = run.first; i < run.last; ++i) forward_layer(i, of, training);
    });
  }
}

void Pass::forward_layer(std::size_t layer, const Examples& of, bool training) {
  ForwardPass pass;
  fill(pass, layer, of);
  pass.output = workspace_.output(layer, of.first);
  pass.dropout = training ? &workspace_.dropout : nullptr;
  network_.layers()[layer]->forward(pass);
}

void Pass::backward(std::size_t first, std::size_t last, std::span<float> gradient) {
  const auto some = runs(first, last);
  for (std::size_t r = some.size(); r-- > 0;) {
    const LayerRun& run = some[r];
    for_groups(run, [&](const Examples& of) {
      for (std::size_t i = run.last; i-- > run.first;) backward_layer(i, of, gradient);
    });
    if (run.first > 0) add_skipped(run.first - 1);
  }
}

void Pass::backward_layer(std::size_t layer, const Examples& of, std::span<float> gradient) {
  const Range at = range(layer);
  const Layer& own = *network_.layers()[layer];
  BackwardPass pass;
  fill(pass, layer, of);
  if (own.reads().output) pass.output = workspace_.output(layer, of.first);
  pass.output_gradient = workspace_.output_gradient(layer, of.first);
  pass.input_gradient = layer > 0 ? workspace_.output_gradient(layer - 1, of.first) : nullptr;
  pass.gradient = gradient.subspan(at.first, at.count);
  pass.add = of.first > 0;
  own.backward(pass);
}

// A layer whose output is added ends its run.
void Pass::add_skipped(std::size_t layer) {
  for (const Skip& skip : network_.skips()) {
    if (skip.from != layer) continue;
    LayerPass pass;
    fill(pass, skip.to, {0, batch_.examples});
    network_.layers()[skip.to]->add_gradient(pass, workspace_.output_gradient(layer));
  }
}

std::span<const float> Pass::logits() {
  return {workspace_.output(network_.layers().size() - 1), logit_count()};
}

std::span<float> Pass::logit_gradient() {
  return {workspace_.output_gradient(network_.layers().size() - 1), logit_count()};
}

std::size_t Pass::logit_count() const {
  return static_cast<std::size_t>(batch_.examples * network_.layers().back()->output().size());
}

}  // namespace foretrain
