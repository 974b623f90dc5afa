#include "models/protocol/local_sgd.h"

#include "models/cost/work.h"
#include "models/protocol/recursive_halving.h"
#include "models/protocol/route.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace foretrain {
namespace {

const Option kLocalSteps{.key = "local_steps",
                         .doc = "local_sgd: steps of each worker between two averagings",
                         .fallback = std::int64_t{16},
                         .least = 1,
                         .unused_because = "only local_sgd has steps without messages"};

const OptionSection kOuter{.key = "outer",
                           .doc = "local_sgd: rule that applies the averaged change of a round"};
constexpr std::string_view kOnlyLocal = "only local_sgd averages parameters";
constexpr std::string_view kNoOuter = "none";
const Option kOuterName{.key = "name",
                        .doc = "none: the next round begins with the average",
                        .fallback = std::string(kNoOuter),
                        .choices = {std::string(kNoOuter), "nesterov"},
                        .unused_because = kOnlyLocal,
                        .section = &kOuter};
const Option kOuterRate{.key = "learning_rate",
                        .doc = "nesterov: factor of the averaged change",
                        .fallback = 0.7,
                        .most = 100,
                        .unused_because = kOnlyLocal,
                        .section = &kOuter};
const Option kOuterMomentum{.key = "momentum",
                            .doc = "nesterov: share of the last change that is added to the next",
                            .fallback = 0.9,
                            .most = 0.999999,
                            .unused_because = kOnlyLocal,
                            .section = &kOuter};

bool has_outer(const ProtocolOptions& options) { return options.word(kOuterName) != kNoOuter; }

std::unique_ptr<const Optimizer> outer_of(const ProtocolOptions& options) {
  if (!has_outer(options)) return nullptr;
  OptimizerSpec spec;
  spec.name = "momentum";
  spec.nesterov = true;
  spec.learning_rate = options.number(kOuterRate);
  spec.momentum = options.number(kOuterMomentum);
  return make_optimizer(spec);
}

Cost averaging_cost(const Optimizer* outer, std::int64_t parameters, std::int64_t addends) {
  const Cost cost = average_cost(parameters, addends);
  return outer == nullptr ? cost : cost + apply_cost(parameters, 1, *outer);
}

// An evaluation can fall within a round, whose steps have changed the average: a copy is needed.
bool evaluates_within(const Training& training) {
  const std::int64_t every = training.evaluate_every;
  return every > 0 && every % training.options.integer(kLocalSteps) != 0;
}

}  // namespace

LocalSgdWorker::LocalSgdWorker(const std::shared_ptr<const Training>& training, NodeId id)
    : CollectiveWorker(training, id, training->options.integer(kLocalSteps)),
      outer_(outer_of(training->options)),
      owned_(training->layout->buckets.size()) {
  for (std::uint32_t index = 0; index < owned_.size(); ++index) {
    const Bucket& bucket = bucket_at(index);
    const auto place = parameters().place(bucket);
    own_.push_back(
        std::make_unique<ShardBucket>(training, index, parameters().part(bucket), place));
    if (!outer_ || !owns(index) || !training->numerics) continue;
    owned_[index].start.assign(place.begin(), place.end());
    owned_[index].momentum.resize(place.size());
    outer_->initialize(owned_[index].momentum);
  }
  if (is_chief() && evaluates_within(*training)) averaged_.emplace(initial_parameters(*training));
}

// A step by itself -----------------------------------------------------------------------------

void LocalSgdWorker::use_gradient(Instant /*now*/, std::uint32_t bucket, Payload gradient,
                                  Effects& effects) {
  effects.emplace_back(Compute{own_[bucket]->apply_job(own_job(bucket), {std::move(gradient)})});
}

// The schedule also counts the gradients that other workers have applied meanwhile.
void LocalSgdWorker::own_computed(Instant now, std::uint32_t bucket, Effects& effects) {
  own_[bucket]->finish_apply(training().workers - 1);
  contribute(now, bucket, parameters().part(bucket_at(bucket)), effects);
}

// Averaging ------------------------------------------------------------------------------------

Job LocalSgdWorker::finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) {
  const Cost cost = averaging_cost(outer_.get(), bucket_at(bucket).count, std::ssize(addends));
  Job job{id, JobKind::apply, 0, cost, {}, {}};
  job.bucket = bucket;
  // A separate buffer: the next step changes the parameters while others still read these values.
  Payload& values = owned_[bucket].values;
  const Bytes size = bucket_at(bucket).size();
  values = training().numerics ? Payload::allocate(size) : Payload::sized(size);
  if (!training().numerics) return job;
  job.work = [this, bucket, round = rounds_of(bucket),
              addends = std::move(addends)](Parallel& /*parallel*/) {
    average(bucket, round, addends);
    return JobResult{};
  };
  return job;
}

void LocalSgdWorker::average(std::uint32_t bucket, Step round,
                             const std::vector<Payload>& addends) {
  constexpr std::size_t kBlock = 2048;  // 8 KB: the sum stays in the first-level cache
  Owned& owned = owned_[bucket];
  const std::span<float> values = owned.values.writable_floats();
  const std::span<float> place = parameters().place(bucket_at(bucket));
  const float share = 1.0F / static_cast<float>(training().workers);
  alignas(64) std::array<float, kBlock> block;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - first);
    ArrayMap mean = array(std::span(block).first(count));
    mean = array(addends.front().floats().subspan(first, count));
    for (const Payload& addend : std::span(addends).subspan(1)) {
      mean += array(addend.floats().subspan(first, count));
    }
    mean *= share;
    if (outer_) {
      const auto start = std::span(owned.start).subspan(first, count);
      float* const momentum = owned.momentum.data() + first;
      mean = array(start) - mean;  // the change, as a gradient
      outer_->apply({.version = round.value}, false, start, std::span(block).first(count), start,
                    std::span(&momentum, 1));
      mean = array(start);
    }
    array(values.subspan(first, count)) = mean;
    array(place.subspan(first, count)) = mean;
  }
}

Payload LocalSgdWorker::finished(std::uint32_t bucket, Effects& /*effects*/) {
  return std::exchange(owned_[bucket].values, {});
}

void LocalSgdWorker::renewed(std::uint32_t bucket, Effects& effects) {
  if (averaged_) averaged_->put(bucket_at(bucket), parameters().part(bucket_at(bucket)), effects);
}

const Payload& LocalSgdWorker::learned() const {
  return averaged_ ? averaged_->all() : CollectiveWorker::learned();
}

// The values at the start of the round are the parameters in place, so they are not written.
void LocalSgdWorker::write_own(StateWriter& state) const {
  for (const auto& bucket : own_) bucket->write(state);
  for (const Owned& owned : owned_) state.floats(owned.momentum);
}

void LocalSgdWorker::read_own(StateReader& state) {
  for (const auto& bucket : own_) bucket->read(state);
  for (std::uint32_t index = 0; index < owned_.size(); ++index) {
    Owned& owned = owned_[index];
    state.floats(owned.momentum);
    const auto place = parameters().place(bucket_at(index));
    if (!owned.start.empty()) owned.start.assign(place.begin(), place.end());
  }
  if (averaged_) std::ranges::copy(parameters().places(), averaged_->places().begin());
}

Bytes LocalSgdWorker::own_size() const {
  Bytes size;
  for (std::uint32_t index = 0; index < own_.size(); ++index) {
    const bool outer = outer_ && owns(index);
    size += own_[index]->kept_size() + state_size(0, outer ? bucket_at(index).count : 0, 1);
  }
  return size;
}

Protocol local_sgd_protocol() {
  using enum MessageKind;
  return {
      .name = "local_sgd",
      .doc = "workers take several steps alone, then average their parameters",
      .dense = true,
      .options = {&kLocalSteps, &kOuterName, &kOuterRate, &kOuterMomentum, &kGroup, &kAlgorithm},
      .messages = {partial, parameters, enough, cut},
      .brings_update = {parameters},
      .weighed_against = "all_reduce",
      .statistical_efficiency =
          "workers drift apart between two averagings: the loss at the same step differs",
      .gradients_an_update = [](const ProtocolOptions& options,
                                int workers) { return workers * options.integer(kLocalSteps); },
      .gradients_an_apply = [](const ProtocolOptions&, int) { return std::int64_t{1}; },
      .steps_an_averaging =
          [](const ProtocolOptions& options) { return options.integer(kLocalSteps); },
      .averaging_cost =
          [](const ProtocolOptions& options, std::int64_t parameters, std::int64_t addends) {
            return averaging_cost(outer_of(options).get(), parameters, addends);
          },
      .takes_back_with = "with rejoin_limit",
      .wrong = wrong_group,
      .updated_by = [](const Training& training, NodeId) { return training.layout->parameters; },
      .kept_by =
          [](const Training& training, NodeId id) {
            const auto worker = static_cast<int>(index_of(id));
            const Layout& layout = *training.layout;
            std::int64_t owned = 0;
            for (const Bucket& bucket : layout.buckets) {
              if (bucket.shard == worker) owned += bucket.count;
            }
            // The averaged values, until they are sent.
            const bool hypercube = Ways::of(training, layout.buckets.front()).hypercube;
            std::int64_t count =
                hypercube ? owned_by_half(layout, training.workers, worker) : owned;
            if (has_outer(training.options)) count += 2 * owned;
            if (worker == 0 && evaluates_within(training)) count += layout.parameters;
            return Bytes{4 * count};
          },
      .linked = linked_in_all_reduce,
      .make_node =
          [](const std::shared_ptr<const Training>& training, NodeId id) {
            return std::unique_ptr<Node>(std::make_unique<LocalSgdWorker>(training, id));
          }};
}

}  // namespace foretrain
