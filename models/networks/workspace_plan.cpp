#include "models/networks/workspace_plan.h"

#include <algorithm>
#include <array>

namespace foretrain {
namespace {

// Bytes of a group's activations and gradients: a share of the last-level cache, and enough work
// for a few threads. lenet on 512 examples takes 24.7 us an example as one group; in groups of 8,
// 16, 32, 64 (4 MB) 21.0, 21.3, 21.2, 21.2 on one core, and two cores need 32 or more.
constexpr std::int64_t kGroupBytes = 4 << 20;
// Approximate pixels in a layer's output of a group: weights are packed once for each group, which
// takes as long as products of some 30 pixels.
constexpr std::int64_t kGroupPixels = 4096;
constexpr std::int64_t kGroupStep = 16;  // then even one float an example fills whole cache lines

// Rounds up to a cache line.
std::size_t lines(std::int64_t floats) { return (static_cast<std::size_t>(floats) + 15) / 16 * 16; }

bool is_from(std::span<const Skip> skips, std::size_t layer) {
  return std::ranges::find(skips, layer, &Skip::from) != skips.end();
}

std::int64_t group_of(const PlannedNetwork& network, std::size_t first, std::size_t last) {
  std::int64_t bytes = 1;
  std::int64_t pixels = kGroupPixels;
  for (std::size_t i = first; i < last; ++i) {
    const Layer& layer = *network.layers[i];
    bytes += 2 * 4 * layer.output().size() + layer.saved_bytes(1);
    if (layer.parameters() > 0) pixels = std::min(pixels, layer.output().pixels());
  }
  const std::int64_t examples = std::max(kGroupBytes / bytes, kGroupPixels / pixels);
  return kGroupStep * std::max<std::int64_t>(examples / kGroupStep, 1);
}

// The last group of a batch may be smaller, and may need more.
std::int64_t scratch_of(const Layer& layer, std::int64_t batch, std::int64_t group, int simd) {
  const std::int64_t rest = batch % group;
  return std::max(layer.scratch_floats(group, simd),
                  rest > 0 ? layer.scratch_floats(rest, simd) : 0);
}

}  // namespace

WorkspacePlan::WorkspacePlan(const PlannedNetwork& network, std::int64_t batch, int simd)
    : examples_(batch) {
  find_runs(network);
  const auto layers = network.layers;
  std::int64_t scratch_most = 0;
  for (const LayerRun& run : runs_) {
    for (std::size_t i = run.first; i < run.last; ++i) {
      const bool inner = i + 1 < run.last;
      const bool whole = !inner || layers[i]->reads().output || layers[i + 1]->reads().input;
      outputs_.push_back(take((whole ? batch : run.group) * layers[i]->output().size(), whole));
      scratch_most = std::max(scratch_most, scratch_of(*layers[i], batch, run.group, simd));
    }
  }
  for (const auto& layer : layers) {
    saved_.push_back(take((layer->saved_bytes(batch) + 3) / 4, true));
  }
  place_gradients(network);
  scratch_ = take(scratch_most, true);
}

void WorkspacePlan::find_runs(const PlannedNetwork& network) {
  const auto layers = network.layers;
  const auto goes_on = [&](std::size_t layer) {
    return layer < layers.size() && layers[layer]->by_example() &&
           !is_from(network.skips, layer - 1) &&
           std::ranges::find(network.part_begins, layer) == network.part_begins.end();
  };
  for (std::size_t first = 0, last = 0; first < layers.size(); first = last) {
    last = first + 1;
    while (layers[first]->by_example() && goes_on(last)) ++last;
    const bool one = last == first + 1;
    const std::int64_t batch = std::max<std::int64_t>(examples_, 1);
    runs_.push_back({first, last, one ? batch : std::min(batch, group_of(network, first, last))});
  }
}

// Two gradients exist at the same time: the later layer's is read, and the other is written.
void WorkspacePlan::place_gradients(const PlannedNetwork& network) {
  const auto layers = network.layers;
  std::array<std::int64_t, 4> most{};  // floats of each buffer: two between runs, two within
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    for (std::size_t i = runs_[r].first; i < runs_[r].last; ++i) {
      const bool between = i + 1 == runs_[r].last;
      const std::size_t buffer = between ? r % 2 : 2 + i % 2;
      const std::int64_t examples = between ? examples_ : runs_[r].group;
      const std::int64_t own = examples * layers[i]->output().size();
      most[buffer] = std::max(most[buffer], own);
      gradients_.push_back({{0, lines(own), between}, buffer});
    }
  }
  std::array<Place, 4> buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i] = take(most[i], i < 2);
  for (const Place& each : buffers) gradient_floats_ += each.floats;
  for (GradientPlace& each : gradients_) each.first = buffers[each.buffer].first;
}

WorkspacePlan::Place WorkspacePlan::take(std::int64_t floats, bool whole) {
  const Place place{total_, lines(floats), whole};
  total_ += place.floats;
  return place;
}

}  // namespace foretrain
