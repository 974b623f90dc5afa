#include "models/protocol/gather_scatter.h"

#include "models/cost/work.h"
#include "models/protocol/route.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace foretrain {
namespace {

void write_mean(const std::vector<Payload>& addends, std::span<float> mean) {
  constexpr std::size_t kBlock = 2048;  // 8 KB: the sum stays in the first-level cache
  const float share = 1.0F / static_cast<float>(addends.size());
  for (std::size_t first = 0; first < mean.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, mean.size() - first);
    ArrayMap sum = array(mean.subspan(first, count));
    sum = array(addends.front().floats().subspan(first, count));
    for (const Payload& addend : std::span(addends).subspan(1)) {
      sum += array(addend.floats().subspan(first, count));
    }
    if (addends.size() > 1) sum *= share;
  }
}

}  // namespace

GatherScatterWorker::GatherScatterWorker(const std::shared_ptr<const Training>& training, NodeId id)
    : CollectiveWorker(training, id, 1), means_(training->layout->buckets.size()) {
  for (std::uint32_t index = 0; index < means_.size(); ++index) {
    const Bucket& bucket = bucket_at(index);
    own_.push_back(std::make_unique<ShardBucket>(training, index, parameters().part(bucket),
                                                 parameters().place(bucket)));
  }
}

void GatherScatterWorker::use_gradient(Instant now, std::uint32_t bucket, Payload gradient,
                                       Effects& effects) {
  contribute(now, bucket, std::move(gradient), effects);
}

Job GatherScatterWorker::finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) {
  const Bucket& place = bucket_at(bucket);
  Job job{id, JobKind::reduce, 0, reduce_cost(place.count, std::ssize(addends)), {}, {}};
  job.bucket = bucket;
  job.buckets = 1;
  Payload& mean = means_[bucket];
  mean = training().numerics ? Payload::allocate(place.size()) : Payload::sized(place.size());
  if (!training().numerics) return job;
  job.work = [&mean, addends = std::move(addends)](Parallel& /*parallel*/) {
    write_mean(addends, mean.writable_floats());
    return JobResult{};
  };
  return job;
}

Payload GatherScatterWorker::finished(std::uint32_t bucket, Effects& /*effects*/) {
  return std::exchange(means_[bucket], {});
}

Job GatherScatterWorker::use_job(std::uint32_t bucket, JobId id, const Payload& sent) {
  return own_[bucket]->apply_job(id, {sent}, 1);
}

// Schedules count the gradients of all workers.
void GatherScatterWorker::used(std::uint32_t bucket) {
  own_[bucket]->finish_apply(training().workers - 1);
}

void GatherScatterWorker::write_own(StateWriter& state) const {
  for (const auto& bucket : own_) bucket->write(state);
}

void GatherScatterWorker::read_own(StateReader& state) {
  for (const auto& bucket : own_) bucket->read(state);
}

Bytes GatherScatterWorker::own_size() const {
  Bytes size;
  for (const auto& bucket : own_) size += bucket->kept_size();
  return size;
}

Protocol gather_scatter_protocol() {
  using enum MessageKind;
  return {
      .name = "gather_scatter",
      .doc = "worker 0 gathers all gradients and scatters their mean; each worker applies it",
      .rooted = true,
      .dense = true,
      .options = {&kCollectives},
      .messages = {partial, parameters, enough, cut},
      .brings_update = {parameters},
      .weighed_against = "all_reduce",
      .takes_back_with = "with rejoin_limit",
      .updated_by = [](const Training& training, NodeId) { return training.layout->parameters; },
      .linked = linked_in_all_reduce,
      .make_node =
          [](const std::shared_ptr<const Training>& training, NodeId id) {
            return std::unique_ptr<Node>(std::make_unique<GatherScatterWorker>(training, id));
          }};
}

}  // namespace foretrain
