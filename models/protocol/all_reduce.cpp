#include "models/protocol/all_reduce.h"

#include "models/cost/work.h"
#include "models/protocol/route.h"
#include "models/tensor/half.h"

#include <utility>

namespace foretrain {

AllReduceWorker::AllReduceWorker(const std::shared_ptr<const Training>& training, NodeId id)
    : CollectiveWorker(training, id, 1), keeps_master_(training->compression.converts_sums()) {
  for (std::uint32_t index = 0; index < training->layout->buckets.size(); ++index) {
    if (!owns(index)) continue;
    const Bucket& bucket = bucket_at(index);
    if (keeps_master_) {
      owned_.try_emplace(index, training, index, parameters().all());
    } else {
      owned_.try_emplace(index, training, index, parameters().part(bucket),
                         parameters().place(bucket));
    }
  }
}

void AllReduceWorker::use_gradient(Instant now, std::uint32_t bucket, Payload gradient,
                                   Effects& effects) {
  contribute(now, bucket, std::move(gradient), effects);
}

Job AllReduceWorker::finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) {
  return owned_.at(bucket).apply_job(id, std::move(addends),
                                     std::int64_t{training().workers} * training().sums_a_round());
}

// The payload is sent before these values change again: the change needs a gradient of every
// worker, and each has received the values by then.
Payload AllReduceWorker::finished(std::uint32_t bucket, Effects& effects) {
  owned_.at(bucket).finish_apply();
  if (keeps_master_) return catch_up(bucket, effects);
  return parameters().part(bucket_at(bucket));
}

Payload AllReduceWorker::catch_up(std::uint32_t bucket, Effects& effects) {
  const Bucket& place = bucket_at(bucket);
  effects.emplace_back(SpentCost{copy_cost(place.count)});
  if (!training().numerics) return Payload::sized(place.size());
  Payload differences = Payload::allocate(place.size());
  const auto master = owned_.at(bucket).values().floats();
  const auto held = parameters().place(place);
  const auto to = differences.writable_floats();
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = from_half(to_half(master[i] - held[i]));
    held[i] += to[i];
  }
  return differences;
}

void AllReduceWorker::write_own(StateWriter& state) const {
  for (const auto& [index, bucket] : owned_) bucket.write(state);
}

void AllReduceWorker::read_own(StateReader& state) {
  for (auto& [index, bucket] : owned_) bucket.read(state);
}

Bytes AllReduceWorker::own_size() const {
  Bytes size;
  for (const auto& [index, bucket] : owned_) size += bucket.kept_size();
  return size;
}

Protocol all_reduce_protocol() {
  using enum MessageKind;
  return {.name = "all_reduce",
          .doc = "workers add up their gradients among themselves, without servers",
          .dense = true,
          .shards = true,
          .options = {&kGroup, &kAlgorithm, &kCollectives},
          .messages = {partial, parameters, enough, cut},
          .brings_update = {parameters},
          .takes_back_with = "with rejoin_limit",
          .wrong = wrong_group,
          .linked = linked_in_all_reduce,
          .make_node = [](const std::shared_ptr<const Training>& training, NodeId id) {
            return std::unique_ptr<Node>(std::make_unique<AllReduceWorker>(training, id));
          }};
}

}  // namespace foretrain
