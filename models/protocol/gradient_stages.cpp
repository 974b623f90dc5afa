#include "models/protocol/gradient_stages.h"

#include "models/protocol/job.h"

#include <algorithm>

namespace foretrain {
namespace {

bool in_stages(const Training& training) {
  return training.overlap && !training.sparse() && training.optimizer_spec.clip_norm == 0 &&
         training.layout->buckets.size() > 1;
}

}  // namespace

std::vector<GradientStage> gradient_stages(const Training& training) {
  const Network& network = *training.network;
  const auto& buckets = training.layout->buckets;
  const auto layers = network.layers();
  const std::int64_t batch = training.batch_size;
  std::vector<GradientStage> stages;
  GradientStage stage{0, layers.size(), {}, network.evaluation_cost(batch), 1};
  // Buckets lie in the order of the parameters: those not yet in a stage are the first `left`.
  std::size_t left = buckets.size();
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    stage.cost = stage.cost + layers[layer]->backward_cost(batch, layer > 0);
    std::size_t ready = left;
    while (ready > 0 && buckets[ready - 1].first >= network.first_parameter(layer)) --ready;
    const bool worthwhile = in_stages(training) && ready < left && !runs_inline(stage.cost);
    if (layer > 0 && !worthwhile) continue;
    for (std::size_t i = ready; i < left; ++i)
      stage.buckets.push_back(static_cast<std::uint32_t>(i));
    left = ready;
    stage.first = layer;
    stages.push_back(stage);
    stage = {0, layer, {}, Cost{}, 1};
  }
  if (stages.size() > 1 && runs_inline(stages.back().cost)) {
    // Too small for the compute thread: part of the one before it.
    const GradientStage tail = stages.back();
    stages.pop_back();
    GradientStage& end = stages.back();
    end.first = tail.first;
    end.cost = end.cost + tail.cost;
    end.buckets.insert(end.buckets.begin(), tail.buckets.begin(), tail.buckets.end());
  }
  const double whole = nominal_seconds(network.gradient_cost(batch));
  for (GradientStage& each : stages) {
    each.share = stages.size() == 1 ? 1 : nominal_seconds(each.cost) / whole;
  }
  return stages;
}

}  // namespace foretrain
