// The micro-batches of a step: forward passes, each followed by a backward pass.
#include "scenarios/import/trace_layers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace foretrain {

// A new pass begins at a layer after backward work. Passes are equal if each launches the same
// kernels in the same order, from its first layer to its last backward work, except kernels that
// accumulate gradients. Threads other than autograd's launch unrelated work, such as copies of the
// next batch.
void TraceLayers::find_passes(const std::vector<DeviceWork>& work) {
  const auto launched_us = [&](const DeviceWork& w) { return trace_.events[w.launch].start_us; };
  const auto is_within = [&](const DeviceWork& w, auto is) {
    std::size_t op = w.op;
    while (op != OperatorTree::kNone && !is(trace_.name_of(trace_.events[op])))
      op = tree_.parent(op);
    return op != OperatorTree::kNone;
  };
  const auto goes_back = [&](const DeviceWork& w) {
    return w.phase == WorkPhase::backward && is_within(w, is_backward);
  };
  std::vector<double> backward_us;
  for (const DeviceWork& each : work) {
    if (goes_back(each)) backward_us.push_back(launched_us(each));
  }
  std::vector<double> first_us{begins_.front()};
  for (std::size_t i = 1; i < begins_.size(); ++i) {
    const auto back = std::ranges::upper_bound(backward_us, begins_[i - 1]);
    if (back != backward_us.end() && *back < begins_[i]) first_us.push_back(begins_[i]);
  }
  passes_ = static_cast<int>(first_us.size());

  std::vector<std::vector<std::uint32_t>> kernels(first_us.size());  // by pass: names of kernels
  std::vector<std::size_t> lengths(first_us.size());
  for (const DeviceWork& each : work) {
    const auto after = std::ranges::upper_bound(first_us, launched_us(each));
    const bool back = goes_back(each);
    if (after == first_us.begin() || (!back && each.phase != WorkPhase::forward)) continue;
    if (is_within(each, [](std::string_view op) { return op.ends_with("AccumulateGrad"); }))
      continue;
    const auto pass = static_cast<std::size_t>(after - first_us.begin()) - 1;
    kernels[pass].push_back(trace_.events[each.event].name);
    if (back) lengths[pass] = kernels[pass].size();
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i].resize(lengths[i]);
  alike_ = lengths.front() > 0 && std::ranges::count(kernels, kernels.front()) == passes_;
}

int TraceLayers::fold() {
  const int passes = passes_;
  const std::size_t of_pass = layers_.size() / static_cast<std::size_t>(passes);
  bool alike = passes > 1 && alike_ && of_pass * static_cast<std::size_t>(passes) == layers_.size();
  for (std::size_t i = 0; alike && i < layers_.size(); ++i) {
    alike = layers_[i].parameters == layers_[i % of_pass].parameters;
  }
  if (!alike) return 1;
  layers_.resize(of_pass);
  for (auto& [sequence, layer] : by_sequence_) layer %= of_pass;
  parameters_ /= passes;
  tensors_ /= passes;
  passes_ = 1;
  return passes;
}

}  // namespace foretrain
