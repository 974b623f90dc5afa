// A worker that takes the place of one that was lost.
#include "models/protocol/worker.h"

#include <cstdint>
#include <utility>

namespace foretrain {

void Worker::rejoin(std::int64_t generation) {
  generation_ = generation;
  state_ = State::joining;
}

// Where others wait it asks for the newest of all buckets, and learns which is the oldest.
void Worker::begin_to_pull(Effects& effects) {
  if (!training_->waits()) return pull(0, effects);
  number_ = {training_->steps};
  for (std::uint32_t index = 0; index < buckets_.size(); ++index) pull(index, effects);
}

void Worker::pull(std::uint32_t index, Effects& effects) {
  BucketView& bucket = buckets_[index];
  bucket.awaited = true;
  bucket.pushed = number_;
  ++awaited_;
  Message message{.kind = MessageKind::pull, .step = number_, .bucket = index};
  message.version = {generation_};
  const int shard = training_->layout->buckets[index].shard;
  effects.emplace_back(Send{training_->server(shard), std::move(message)});
}

void Worker::note_number(const Message& message) {
  if (message.bucket != 0 && !training_->waits()) return;
  if (message.bucket < buckets_.size()) buckets_[message.bucket].pushed = message.step;
}

void Worker::begin_at(Step number) {
  step_ = number_ = number;
  if (number.value > 0) worker_compute_.restore(number.value);
}

// Where the first bucket is over nobody has counted on this worker: the others end without it.
void Worker::pulled(Instant now, const Message& message, Effects& effects) {
  if (message.bucket == 0 && buckets_.front().last) {
    state_ = State::finished;
    effects.emplace_back(Finished{});
    return;
  }
  if (training_->waits()) return pulled_version(now, message, effects);
  if (message.bucket == 0) {
    begin_at(message.step);
    for (std::uint32_t index = 1; index < buckets_.size(); ++index) pull(index, effects);
  }
  if (may_end_step()) go_on(now, effects);
}

void Worker::pulled_version(Instant now, const Message& message, Effects& effects) {
  const auto is_newer = [this](const BucketView& bucket) {
    return !bucket.awaited && !bucket.last && bucket.version.value > number_.value;
  };
  if (message.version.value < number_.value) {
    number_ = {message.version.value};
    for (std::uint32_t index = 0; index < buckets_.size(); ++index) {
      if (is_newer(buckets_[index])) pull(index, effects);
    }
  } else if (is_newer(buckets_[message.bucket])) {
    pull(message.bucket, effects);
  }
  if (awaited_ > 0) return;
  if (number_.value == training_->steps) {  // the process before had made the last step
    state_ = State::finished;
    effects.emplace_back(Finished{});
    return;
  }
  begin_at(number_);
  go_on(now, effects);
}

}  // namespace foretrain
