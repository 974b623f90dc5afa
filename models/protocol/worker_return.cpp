// A worker that takes the place of one that was lost.
#include "models/protocol/worker.h"

#include <cstdint>
#include <utility>

namespace foretrain {

void Worker::rejoin(std::int64_t generation) {
  generation_ = generation;
  state_ = State::joining;
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

// Where the first bucket is over nobody has counted on this worker: the others end without it.
void Worker::pulled(Instant now, const Message& message, Effects& effects) {
  if (message.bucket == 0 && buckets_.front().last) {
    state_ = State::finished;
    effects.emplace_back(Finished{});
    return;
  }
  if (message.bucket == 0) {
    step_ = number_ = message.step;
    if (number_.value > 0) worker_compute_.restore(number_.value);
    for (std::uint32_t index = 1; index < buckets_.size(); ++index) pull(index, effects);
  }
  if (may_end_step()) go_on(now, effects);
}

}  // namespace foretrain
