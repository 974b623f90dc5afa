#include "models/protocol/launch_queue.h"

#include <algorithm>

namespace foretrain {

std::optional<Payload> LaunchQueue::wait(Step round, std::uint32_t bucket, Payload part,
                                         Effects& effects) {
  const Collective collective{round, training_->layout->buckets[bucket].leaves_with()};
  const bool queues = takes_time() || training_->one_by_one;
  if (!queues || started_ == collective) return part;
  if (!takes_time() && open_buckets_ == 0) {
    open(collective);
    return part;
  }
  if (waiting_.empty() || waiting_.back().collective != collective) {
    waiting_.push_back({collective, {}});
  }
  waiting_.back().parts.emplace_back(bucket, std::move(part));
  launch_next(effects);
  return std::nullopt;
}

std::vector<LaunchQueue::Part> LaunchQueue::started(Effects& effects) {
  launching_ = false;
  open(waiting_.front().collective);
  std::vector<Part> parts = std::move(waiting_.front().parts);
  waiting_.pop_front();
  launch_next(effects);
  return parts;
}

std::vector<LaunchQueue::Part> LaunchQueue::ended(Effects& effects) {
  if (open_buckets_ == 0) return {};
  --open_buckets_;
  if (open_buckets_ > 0 || waiting_.empty()) return {};
  if (!takes_time()) return started(effects);
  launch_next(effects);
  return {};
}

void LaunchQueue::open(Collective collective) {
  started_ = collective;
  if (!training_->one_by_one) return;
  const auto& buckets = training_->layout->buckets;
  open_buckets_ =
      static_cast<std::size_t>(std::ranges::count(buckets, collective.first, &Bucket::leaves_with));
}

void LaunchQueue::launch_next(Effects& effects) {
  if (!takes_time() || waiting_.empty() || launching_ || open_buckets_ > 0) return;
  launching_ = true;
  effects.emplace_back(ArmTimer{timer_, training_->launch, true});
}

}  // namespace foretrain
