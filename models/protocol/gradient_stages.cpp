#include "models/protocol/gradient_stages.h"

#include "models/cost/job_placement.h"
#include "models/cost/work.h"
#include "models/protocol/touched.h"

#include <algorithm>
#include <iterator>

namespace foretrain {
namespace {

bool in_stages(const Training& training) {
  return training.overlap && !training.sparse() && training.optimizer_spec.clip_norm == 0 &&
         training.layout->buckets.size() > 1;
}

// The number of buckets that begin below `parameter`.
std::uint32_t buckets_below(const Layout& layout, std::int64_t parameter) {
  const auto end = std::ranges::lower_bound(layout.buckets, parameter, {}, &Bucket::first);
  return static_cast<std::uint32_t>(end - layout.buckets.begin());
}

// The buckets with parameters of these layers, and all buckets that are reduced with them.
BucketRun buckets_of(const Training& training, LayerRange layers) {
  const Network& network = *training.network;
  const auto& buckets = training.layout->buckets;
  const auto begin_of = [&](std::size_t layer) {
    const bool end = layer == network.layers().size();
    return end ? network.parameters() : network.first_parameter(layer);
  };
  const std::int64_t begin = begin_of(layers.first);
  const std::int64_t end = begin_of(layers.last);
  if (begin == end) return {};
  std::uint32_t first = buckets_below(*training.layout, begin + 1) - 1;
  std::uint32_t behind = buckets_below(*training.layout, end);
  const auto together = [&](std::uint32_t a, std::uint32_t b) {
    return buckets[a].leaves_with() == buckets[b].leaves_with();
  };
  while (first > 0 && together(first - 1, first)) --first;
  while (behind < buckets.size() && together(behind - 1, behind)) ++behind;
  return {first, behind - first};
}

// A stage with layers of both passes has the last layers of both.
BucketRun read_by(const Training& training, const GradientStage& stage) {
  if (stage.forward.empty()) return buckets_of(training, stage.backward);
  if (stage.backward.empty()) return buckets_of(training, stage.forward);
  return buckets_of(training, {std::min(stage.forward.first, stage.backward.first),
                               std::max(stage.forward.last, stage.backward.last)});
}

// A stage's values are present only if the stage before has read them.
void let_go_between(const Training& training, std::vector<GradientStage>& stages) {
  BucketRun before;
  for (GradientStage& stage : stages) {
    const BucketRun reads = read_by(training, stage);
    stage.needs.clear();
    for (std::uint32_t bucket = reads.first; bucket < reads.end(); ++bucket) {
      if (!before.has(bucket)) stage.needs.push_back(bucket);
    }
    before = reads;
  }
}

// The largest union, in bytes, of two consecutive stages' buckets, as `range_of` gives them.
template <class RangeOf>
Bytes most_of_two(const Training& training, RangeOf range_of) {
  const auto size_of = [&](std::uint32_t first, std::uint32_t end) {
    return first < end ? Bytes{4 * training.layout->count_in({first, end - first})} : Bytes{};
  };
  Bytes most;
  BucketRun before;
  for (const GradientStage& stage : gradient_stages(training)) {
    const BucketRun run = range_of(stage);
    const Bytes both =
        size_of(before.first, before.end()) + size_of(run.first, run.end()) -
        size_of(std::max(before.first, run.first), std::min(before.end(), run.end()));
    most = std::max(most, both);
    before = run;
  }
  return most;
}

// Cuts the forward pass into stages that can run before all values have arrived, and returns the
// stage that begins with the rest of it. A batch after the first needs no new values.
GradientStage cut_forward(const Training& training, bool first,
                          std::vector<GradientStage>& stages) {
  const Network& network = *training.network;
  const auto layers = network.layers();
  GradientStage stage;
  stage.cost = batch_cost(network, training.batch_size);
  std::uint32_t needed = 0;
  const bool gathers = training.gathers();
  const bool begins_early = in_stages(training) && (gathers || (first && !training.forward_waits));
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const bool last = layer + 1 == layers.size();
    const std::uint32_t needs =
        gathers ? std::max(needed, buckets_of(training, {layer, layer + 1}).end())
                : buckets_below(*training.layout,
                                last ? network.parameters() : network.first_parameter(layer + 1));
    if (begins_early && needs > needed && !runs_inline(stage.cost)) {
      stages.push_back(stage);
      stage = {};
      stage.forward = {layer, layer};
    }
    for (; needed < needs; ++needed) {
      if (first) stage.needs.push_back(needed);
    }
    stage.forward.last = layer + 1;
    stage.cost = stage.cost + layers[layer]->forward_cost(training.batch_size);
  }
  stage.cost = stage.cost + loss_cost(network, training.batch_size) +
               penalty_cost(network, training.optimizer_spec);
  return stage;
}

// The last stage is too small for the compute thread: it becomes part of the one before it.
void join_tail(std::vector<GradientStage>& stages) {
  const GradientStage tail = stages.back();
  stages.pop_back();
  GradientStage& end = stages.back();
  if (!tail.forward.empty()) {
    end.forward.last = tail.forward.last;
    end.backward.last = tail.backward.last;
    end.needs.insert(end.needs.end(), tail.needs.begin(), tail.needs.end());
  }
  end.backward.first = tail.backward.first;
  end.cost = end.cost + tail.cost;
  end.summed += tail.summed;
  end.buckets.insert(end.buckets.begin(), tail.buckets.begin(), tail.buckets.end());
}

// The cost of a profile already includes the addition, so nothing is added to it.
void add_to_sum(const Training& training, std::int64_t parameters, GradientStage& stage) {
  if (training.network->profiled()) return;
  const Cost cost = reduce_cost(parameters, 2);
  stage.cost = stage.cost + cost;
  stage.summed += cost.bytes();
}

void share_out(std::vector<GradientStage>& stages) {
  TotalCost all;
  for (const GradientStage& each : stages) all = all + each.cost;
  const double whole = nominal_seconds(all);
  for (GradientStage& each : stages) {
    each.share = stages.size() == 1 ? 1 : nominal_seconds(each.cost) / whole;
  }
}

std::vector<GradientStage> stages_of_batch(const Training& training, int batch) {
  const Network& network = *training.network;
  const auto& buckets = training.layout->buckets;
  const auto layers = network.layers();
  const bool last = batch + 1 == training.accumulate || training.reduces_batches;
  std::vector<GradientStage> stages;
  GradientStage stage = cut_forward(training, batch == 0, stages);
  stage.backward = {layers.size(), layers.size()};
  // Buckets are in the order of the parameters: those not yet in a stage are the first `left`.
  std::size_t left = last || training.gathers() ? buckets.size() : 0;
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    stage.cost = stage.cost + layers[layer]->backward_cost(training.batch_size, layer > 0);
    if (batch > 0 && !training.reduces_batches)
      add_to_sum(training, layers[layer]->parameters(), stage);
    std::size_t ready = left;
    while (ready > 0 && buckets[ready - 1].leaves_with() >= network.first_parameter(layer)) --ready;
    const bool worthwhile = in_stages(training) && ready < left && !runs_inline(stage.cost);
    if (layer > 0 && !worthwhile) continue;
    for (std::size_t i = ready; last && i < left; ++i) {
      stage.buckets.push_back(static_cast<std::uint32_t>(i));
    }
    left = ready;
    stage.backward.first = layer;
    stages.push_back(stage);
    stage = {};
    stage.backward = {layer, layer};
  }
  if (stages.size() > 1 && runs_inline(stages.back().cost)) join_tail(stages);
  // The norm is known when the whole gradient is: there is one stage.
  if (last && training.optimizer_spec.clip_norm > 0) {
    stages.back().cost = stages.back().cost + clip_cost(touched(training));
  }
  share_out(stages);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    stages[i].batch = batch;
    stages[i].stage = static_cast<int>(i);
  }
  return stages;
}

}  // namespace

std::vector<GradientStage> gradient_stages(const Training& training) {
  std::vector<GradientStage> stages;
  for (int batch = 0; batch < training.accumulate; ++batch) {
    std::vector<GradientStage> of_batch = stages_of_batch(training, batch);
    std::ranges::move(of_batch, std::back_inserter(stages));
  }
  if (training.gathers()) let_go_between(training, stages);
  return stages;
}

std::vector<std::size_t> part_begins(std::span<const GradientStage> stages) {
  std::vector<std::size_t> begins;
  for (const GradientStage& each : stages) {
    begins.insert(begins.end(),
                  {each.forward.first, each.forward.last, each.backward.first, each.backward.last});
  }
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  return begins;
}

Bytes read_by_two_stages(const Training& training) {
  return most_of_two(training,
                     [&](const GradientStage& stage) { return read_by(training, stage); });
}

Bytes made_by_two_stages(const Training& training) {
  return most_of_two(
      training, [&](const GradientStage& stage) { return buckets_of(training, stage.backward); });
}

}  // namespace foretrain
