#include "models/protocol/launches.h"

namespace foretrain {

std::optional<Payload> Launches::wait(Step round, std::uint32_t bucket, Payload part,
                                      Effects& effects) {
  const Collective collective{round, training_->layout->buckets[bucket].leaves_with()};
  if (training_->launch.ns == 0 || started_ == collective) return part;
  if (waiting_.empty() || waiting_.back().collective != collective) {
    waiting_.push_back({collective, {}});
    if (waiting_.size() == 1) start_next(effects);
  }
  waiting_.back().parts.emplace_back(bucket, std::move(part));
  return std::nullopt;
}

std::vector<Launches::Part> Launches::started(Effects& effects) {
  std::vector<Part> parts = std::move(waiting_.front().parts);
  started_ = waiting_.front().collective;
  waiting_.pop_front();
  if (!waiting_.empty()) start_next(effects);
  return parts;
}

}  // namespace foretrain
