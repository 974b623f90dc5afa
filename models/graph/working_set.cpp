#include "models/graph/working_set.h"

#include "models/cost/work.h"
#include "models/graph/step_memory.h"
#include "models/protocol/touched.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kMostGroups = 32;
constexpr Bytes kSmallMessage{4096};  // smaller ones are still in a cache
constexpr std::int64_t kBytesOfLine = 64;

/// More than one layer has parameters: the backward passes of the later ones read theirs again.
bool rereads_parameters(const Network& network) {
  return std::ranges::count_if(network.layers(),
                               [](const auto& layer) { return layer->parameters() > 0; }) > 1;
}

/// The memory of an evaluation besides parameters.
Bytes evaluation_of(const Training& training, int simd) {
  if (training.test_examples == 0) return {};
  const StepMemory memory = evaluation_memory(training, simd);
  return memory.outputs + memory.scratch + memory.batch +
         batch_cost(*training.network, training.test_examples).read.batch;
}

/// The name of a buffer, different from those of pieces: by kind of message, bucket and other node.
/// The number of nodes is unlimited, so it is a hash of 38 bits (Knuth's multiplicative one): the
/// odds that two of 100,000 buffers have the same name are 1 in 50.
std::uint64_t buffer_of(NodeId other, const Message& message) {
  const std::uint64_t name = (std::uint64_t{index_of(other)} << 32) ^
                             (std::uint64_t{message.bucket} << 4) ^
                             static_cast<std::uint64_t>(message.kind);
  return (std::uint64_t{1} << 39) | (name * 0x9e3779b97f4a7c15U) >> 26;
}

/// Marks buffers of sent messages.
constexpr std::uint64_t kSent = std::uint64_t{1} << 38;

}  // namespace

WorkingSet::WorkingSet(std::shared_ptr<const Training> training, NodeId id, int simd)
    : training_(std::move(training)), id_(id) {
  const auto& buckets = training_->layout->buckets;
  const auto count = static_cast<std::uint32_t>(buckets.size());
  groups_.resize(std::min(buckets.size(), kMostGroups));
  waiting_.resize(groups_.size());
  for (std::uint32_t bucket = 0; bucket < count; ++bucket) {
    const std::int64_t touched =
        training_->sparse() ? touched_mean(*training_, buckets[bucket]) : 0;
    groups_[group_of(bucket)] += parameters_of(bucket, touched);
  }
  if (!training_->is_worker(id)) return;
  const StepMemory memory = step_memory(*training_, simd);
  layers_ = layer_memory(*training_, simd);
  activations_ = memory.activations() + memory.scratch;
  batch_ = memory.batch;
  examples_ = batch_cost(*training_->network, training_->batch_size).read.batch;
  data_set_ =
      batch_cost(*training_->network, training_->train_examples / training_->workers).read.batch;
  rereads_ = !training_->sparse() && rereads_parameters(*training_->network);
  if (index_of(id) == 0) evaluation_ = evaluation_of(*training_, simd);
}

Touched WorkingSet::piece(Kind kind, Bytes size, std::uint32_t group) const {
  const std::uint64_t what = (static_cast<std::uint64_t>(kind) << 32) | group;
  return {static_cast<std::uint32_t>(index_of(id_)), what, size};
}

std::uint32_t WorkingSet::group_of(std::uint32_t bucket) const {
  return static_cast<std::uint32_t>(std::uint64_t{bucket} * groups_.size() /
                                    training_->layout->buckets.size());
}

Bytes WorkingSet::parameters_of(std::uint32_t bucket, std::int64_t touched) const {
  const Bytes all = training_->layout->buckets[bucket].size();
  return training_->sparse() ? std::min(all, Bytes{kBytesOfLine * touched}) : all;
}

CacheMisses WorkingSet::gradient(Caches& caches, int core, const Span& span, bool adds) {
  CacheMisses misses;
  const auto touch = [&](const Touched& touched) { misses += caches.touch(core, touched); };
  const auto count = static_cast<std::uint32_t>(groups_.size());
  caches.at(span.begin);
  if (data_set_.value > 0) misses += caches.pass(core, piece(Kind::examples, examples_), data_set_);
  touch(piece(Kind::batch, batch_));
  for (std::uint32_t i = 0; i < count; ++i) touch(piece(Kind::parameters, groups_[i], i));
  misses += pass_layers(caches, core, span);
  for (std::uint32_t i = count; i-- > 0;) {
    if (rereads_) touch(piece(Kind::parameters, groups_[i], i));
    if (adds) touch(piece(Kind::addend, groups_[i], i));
    touch(piece(Kind::gradients, groups_[i], i));
  }
  return misses;
}

CacheMisses WorkingSet::pass_layers(Caches& caches, int core, const Span& span) const {
  CacheMisses misses;
  double done = 0;
  const auto go_on = [&](double part) {
    done += part;
    const double ns = done * static_cast<double>(span.takes.ns);
    caches.at(span.begin + Duration{std::llround(ns)});
  };
  const auto touch = [&](Kind kind, Bytes size, std::size_t which) {
    misses += caches.touch(core, piece(kind, size, static_cast<std::uint32_t>(which)));
  };
  const auto touch_input = [&](std::size_t i) {
    if (i == 0) return touch(Kind::batch, batch_, 0);
    touch(Kind::output, layers_[i - 1].output, i - 1);
  };
  const auto touch_gradient = [&](std::size_t i) {
    touch(Kind::output_gradient, layers_[i].output_gradient, layers_[i].gradient_place);
  };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    touch_input(i);
    touch(Kind::scratch, layers_[i].forward_scratch, 0);
    touch(Kind::output, layers_[i].output, i);
    touch(Kind::saved, layers_[i].saved, i);
    go_on(layers_[i].forward_part);
  }
  for (std::size_t i = layers_.size(); i-- > 0;) {
    touch_gradient(i);
    if (layers_[i].reads.output) touch(Kind::output, layers_[i].output, i);
    touch(Kind::saved, layers_[i].saved, i);
    if (layers_[i].reads.input) touch_input(i);
    touch(Kind::scratch, layers_[i].scratch, 0);
    if (i > 0) touch_gradient(i - 1);
    go_on(layers_[i].backward_part);
  }
  return misses;
}

CacheMisses WorkingSet::job(Caches& caches, int core, const Job& job) {
  CacheMisses misses;
  const auto touch = [&](const Touched& touched) { misses += caches.touch(core, touched); };
  if (job.kind == JobKind::evaluate) {
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
      touch(piece(Kind::parameters, groups_[i], i));
    }
    touch(piece(Kind::evaluation, evaluation_));
    return misses;
  }
  const std::uint32_t group = group_of(job.bucket);
  Bytes came;
  for (const Touched& message : waiting_[group].messages) {
    touch(message);
    came += message.size;
  }
  waiting_[group].messages.clear();
  ++waiting_[group].job;
  if (job.kind == JobKind::reduce) return misses += sums(caches, core, job);
  const Bucket& bucket = training_->layout->buckets[job.bucket];
  // A third of a sparse push is indices, a third gradients.
  const std::int64_t pushed = came.value > 0 ? came.value / 12 : touched_mean(*training_, bucket);
  const Bytes size = parameters_of(job.bucket, pushed);
  if (training_->is_worker(id_)) touch(piece(Kind::gradients, size, group));
  touch(piece(Kind::parameters, size, group));
  touch(piece(Kind::state, size * training_->optimizer->slots(), group));
  return misses;
}

// Touches a worker's part of these buckets, one group after another.
CacheMisses WorkingSet::sums(Caches& caches, int core, const Job& job) const {
  CacheMisses misses;
  const std::uint32_t end = job.bucket + job.buckets;
  for (std::uint32_t bucket = job.bucket; bucket < end;) {
    const std::uint32_t group = group_of(bucket);
    Bytes size;
    for (; bucket < end && group_of(bucket) == group; ++bucket) {
      size += training_->layout->buckets[bucket].size();
    }
    misses += caches.touch(core, piece(Kind::gradients, size, group));
  }
  return misses;
}

CacheMisses WorkingSet::message(Caches& caches, int core, NodeId from, const Message& message,
                                bool addend) {
  const Bytes size = message.payload.size();
  if (size < kSmallMessage) return {};
  const Touched buffer{static_cast<std::uint32_t>(index_of(id_)), buffer_of(from, message), size};
  const CacheMisses misses = caches.touch(core, buffer);
  if (!addend) return misses;
  Waiting& waiting = waiting_[group_of(message.bucket)];
  if (std::exchange(waits_for_[buffer.what], waiting.job) != waiting.job) {
    waiting.messages.push_back(buffer);
  }
  return misses;
}

CacheMisses WorkingSet::sent(Caches& caches, int core, NodeId to, const Message& message) {
  const Bytes size = message.payload.size();
  if (size < kSmallMessage) return {};
  const auto node = static_cast<std::uint32_t>(index_of(id_));
  return caches.touch(core, {node, buffer_of(to, message) | kSent, size});
}

Bytes WorkingSet::of_gradient() const {
  Bytes all = batch_ + activations_;
  for (const Bytes& group : groups_) all += group * (training_->adds_batches() ? 3 : 2);
  return all;
}

AloneMisses misses_alone(const MemoryHierarchy& memory,
                         const std::shared_ptr<const Training>& training, Duration gradient) {
  constexpr int kSteps = 3;  // the first step touches everything for the first time
  Caches caches(memory, 1);
  WorkingSet touched(training, training->worker(0));
  Job apply;
  apply.kind = JobKind::apply;
  AloneMisses alone;
  Instant now;
  for (int step = 0; step < kSteps; ++step) {
    alone = {caches.time_of(touched.gradient(caches, 0, {now, gradient})).seconds(), 0};
    now = now + gradient;
    for (std::uint32_t i = 0; i < training->layout->buckets.size(); ++i) {
      apply.bucket = i;
      alone.apply_s += caches.time_of(touched.job(caches, 0, apply)).seconds();
    }
  }
  return alone;
}

}  // namespace foretrain
