#include "models/protocol/worker_compute.h"

#include "models/base/check.h"
#include "models/cost/work.h"
#include "models/networks/workspace.h"
#include "models/optimizers/norms.h"
#include "models/payload/sparse_push.h"
#include "models/protocol/touched.h"
#include "models/tensor/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace foretrain {

WorkerCompute::WorkerCompute(std::shared_ptr<const Training> training, int worker)
    : training_(std::move(training)),
      augment_(fmt::format("data.augment.worker{}", worker)),
      dropout_(fmt::format("dropout.worker{}", worker)),
      stages_(gradient_stages(*training_)) {
  if (!training_->numerics) {
    gradient_ = Payload::sized({training_->layout->parameters * 4});
    return;
  }
  sampler_.emplace(training_->data->train->examples(), worker, training_->workers,
                   training_->batch_size, training_->seed);
  workspace_ = training_->network->make_workspace(
      {training_->seed, dropout_, 0}, training_->start_statistics, part_begins(stages_));
  const bool prefetches = training_->data->train->worth_prefetching();
  ring_.resize(1 + (sparse() ? 1 : 0) + (prefetches ? 1 : 0));
  if (sparse()) gather_up_to(0);
  if (training_->adds_batches()) {
    FT_CHECK(!sparse());
    addend_.resize(static_cast<std::size_t>(training_->layout->parameters));
  }
  if (training_->compression.keeps_rest()) {
    rest_.resize(static_cast<std::size_t>(training_->layout->parameters));
  }
}

void WorkerCompute::restore(std::int64_t gradients) {
  const std::int64_t batches = saturated::product(gradients, training_->accumulate);
  batches_ = batches;
  if (!training_->numerics) return;
  // With a sparse model the first batch is gathered already.
  sampler_->skip(batches - gathered_);
  gathered_ = batches;
  if (sparse()) gather_up_to(batches);
}

void WorkerCompute::write(StateWriter& state) const {
  if (!rest_.empty()) state.floats(rest_);
  if (workspace_ && !workspace_->statistics.empty()) state.floats(workspace_->statistics);
}

void WorkerCompute::read(StateReader& state) {
  if (!rest_.empty()) state.floats(rest_);
  if (workspace_ && !workspace_->statistics.empty()) state.floats(workspace_->statistics);
}

Bytes WorkerCompute::kept_size() const {
  const std::int64_t statistics = training_->network->statistics();
  Bytes size;
  if (training_->compression.keeps_rest()) {
    size += state_size(0, training_->layout->parameters, 1);
  }
  if (statistics > 0) size += state_size(0, statistics, 1);
  return size;
}

std::vector<float> WorkerCompute::statistics() const {
  return workspace_ ? workspace_->statistics : std::vector<float>{};
}

void WorkerCompute::gather_up_to(std::int64_t number) {
  for (; gathered_ <= number; ++gathered_) {
    Gathered& to = gathered(gathered_);
    Stream augment(training_->seed, augment_, gathered_);
    training_->data->train->gather(sampler_->next(), &augment, to.batch);
    if (sparse()) training_->network->present(to.batch, to.touched);
  }
}

Job WorkerCompute::gradient_job(std::size_t stage, JobId id, const Payload& parameters) {
  const GradientStage& part = stages_[stage];
  Job job{id, JobKind::gradient, training_->batch_size, part.cost, {}, {}};
  job.stage = part.stage;
  job.batch = static_cast<std::uint16_t>(part.batch);
  job.summed = part.summed;
  job.share = part.share;
  if (part.begins_batch()) ++batches_;
  if (!training_->numerics) return job;
  const bool prefetches = training_->data->train->worth_prefetching();
  if (part.begins_batch() && prefetches) {
    if (!std::exchange(begun_, true)) gather_up_to(needed());
    job.prefetch = [this, last = needed() + 1] { gather_up_to(last); };
  }
  const bool begins = !adds_up(part) && !part.backward.empty();
  if (begins && part.backward.last == training_->network->layers().size()) {
    // If a receiver still holds the last gradient, this one gets a new buffer.
    if (gradient_.size() != parameters.size() || !gradient_.unshared()) {
      gradient_ = Payload::allocate(parameters.size());
    }
    // Requested now: while the last stages write, the buckets of the first are being sent.
    writable_ = gradient_.writable_floats();
  }
  const bool gathers = part.begins_batch() && !prefetches;
  job.work = [this, stage, gathers, last = needed(), number = batches_ - 1, parameters,
              gradient = writable_](Parallel& parallel) {
    if (gathers) gather_up_to(last);
    return JobResult{.loss = compute(stage, number, parameters, gradient, parallel)};
  };
  return job;
}

double WorkerCompute::compute(std::size_t stage, std::int64_t number, const Payload& parameters,
                              std::span<float> gradient, Parallel& parallel) {
  const Network& network = *training_->network;
  const OptimizerSpec& spec = training_->optimizer_spec;
  const GradientStage& part = stages_[stage];
  const Batch& batch = gathered(number).batch;
  const auto values = parameters.floats();
  double loss = std::numeric_limits<double>::quiet_NaN();
  if (!part.forward.empty()) {
    if (part.forward.first == 0) workspace_->dropout = {training_->seed, dropout_, number};
    loss = network.forward_of(part.forward.first, part.forward.last, values, batch, *workspace_,
                              parallel);
    const bool through = part.forward.last == network.layers().size();
    if (through && spec.penalty_in_loss) loss += penalty(spec, network.blocks(), values, parallel);
    if (through) {
      loss_sum_ = part.batch == 0 ? loss : loss_sum_ + loss;
      loss = loss_sum_ / (part.batch + 1);
    }
  }
  if (part.backward.empty()) return loss;
  const std::span<float> into = adds_up(part) ? std::span<float>(addend_) : gradient;
  network.gradient_of(part.backward.first, part.backward.last, values, batch, into, *workspace_,
                      parallel);
  if (adds_up(part)) add_up(part, gradient, parallel);
  const bool whole = part.batch + 1 == training_->accumulate || training_->reduces_batches;
  if (spec.clip_norm > 0 && whole) {
    clip(gradient, std::sqrt(squared_norm(gradient, parallel)), spec.clip_norm);
  }
  return loss;
}

void WorkerCompute::add_up(const GradientStage& stage, std::span<float> gradient,
                           Parallel& parallel) const {
  constexpr std::size_t kPart = 64 * 1024;  // parameters that a thread takes at a time
  const Network& network = *training_->network;
  const auto first = static_cast<std::size_t>(network.first_parameter(stage.backward.first));
  const bool to_end = stage.backward.last == network.layers().size();
  const auto end = static_cast<std::size_t>(to_end ? network.parameters()
                                                   : network.first_parameter(stage.backward.last));
  const bool last = stage.batch + 1 == training_->accumulate;
  const float scale = 1.0F / static_cast<float>(training_->accumulate);
  parallel.run(static_cast<int>((end - first + kPart - 1) / kPart), [&](int number) {
    const std::size_t begin = first + static_cast<std::size_t>(number) * kPart;
    const std::size_t count = std::min(kPart, end - begin);
    ArrayMap sum = array(gradient.subspan(begin, count));
    sum += array(std::span<const float>(addend_).subspan(begin, count));
    if (last) sum *= scale;
  });
}

WorkerCompute::Indices WorkerCompute::within(const Bucket& bucket,
                                             const std::vector<std::uint32_t>& touched) {
  const auto first = std::ranges::lower_bound(touched, bucket.first);
  const auto last = std::ranges::lower_bound(touched, bucket.first + bucket.count);
  return {first, last};
}

Payload WorkerCompute::push(const Bucket& bucket, bool all, Effects& effects) {
  if (sparse()) return push_touched(bucket, all, effects);
  Payload gradient = gradient_.slice(bucket.offset(), bucket.size());
  const Compression& compression = training_->compression;
  if (!compression.wanted() || training_->servers == 0) return gradient;  // sums: Reduction
  effects.emplace_back(SpentCost{compress_cost(compression, bucket.count)});
  std::span<float> rest = rest_;
  if (!rest.empty()) {
    rest = rest.subspan(static_cast<std::size_t>(bucket.first),
                        static_cast<std::size_t>(bucket.count));
  }
  return compress(compression, gradient, rest);
}

Payload WorkerCompute::push_touched(const Bucket& bucket, bool all, Effects& effects) const {
  const auto spent = [&](Listed listed) { effects.emplace_back(SpentCost{encode_cost(listed)}); };
  if (!training_->numerics) {
    const Listed listed = listed_mean(*training_, bucket, all);
    spent(listed);
    return Payload::sized(push_size(listed));
  }
  const Gathered& last = gathered(batches_ - 1);
  const Indices touched = within(bucket, last.touched);
  const auto counted_from_bucket = [&](Indices indices) {
    std::vector<std::uint32_t> shifted(indices.begin(), indices.end());
    for (std::uint32_t& index : shifted) index -= static_cast<std::uint32_t>(bucket.first);
    return shifted;
  };
  const auto from = static_cast<std::size_t>(touched.data() - last.touched.data());
  const auto indices = counted_from_bucket(touched);
  const auto wanted = all ? std::vector<std::uint32_t>{}
                          : counted_from_bucket(within(bucket, gathered(batches_).touched));
  const SparsePush push{.touched = indices,
                        .gradient = gradient_.floats().subspan(from, touched.size()),
                        .all = all,
                        .wanted = wanted};
  spent(push.listed());
  return encode(push);
}

Bytes WorkerCompute::answer_size(const Bucket& bucket) const {
  if (!sparse()) return bucket.size();
  if (!training_->numerics) return {4 * touched_mean(*training_, bucket)};
  return {static_cast<std::int64_t>(4 * within(bucket, gathered(batches_).touched).size())};
}

Payload WorkerCompute::view(const Bucket& bucket, const Payload& values, Effects& effects) const {
  if (!sparse() || values.size() != bucket.size()) return values;
  const Bytes size = answer_size(bucket);
  if (size == bucket.size()) return values;
  effects.emplace_back(SpentCost{pick_cost(size.value / 4)});
  if (!training_->numerics) return Payload::sized(size);
  Payload wanted = Payload::allocate(size);
  const auto to = wanted.writable_floats();
  const Indices indices = within(bucket, gathered(batches_).touched);
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = values.floats()[indices[i] - static_cast<std::size_t>(bucket.first)];
  }
  return wanted;
}

Job WorkerCompute::evaluation_job(JobId id, const Payload& parameters) {
  const std::int64_t examples = training_->test_examples;
  Job job{id, JobKind::evaluate, examples, evaluation_cost(*training_->network, examples), {}, {}};
  if (!training_->numerics) return job;
  job.work = [this, parameters, examples](Parallel& parallel) {
    const Score score = training_->network->evaluate(parameters.floats(), *training_->data->test, 0,
                                                     examples, *workspace_, parallel);
    const auto count = static_cast<double>(examples);
    return JobResult{score.loss / count, static_cast<double>(score.correct) / count, score.auc};
  };
  return job;
}

}  // namespace foretrain
