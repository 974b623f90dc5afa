// The queue of collectives that a worker starts one after another.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {

/// If starting a collective takes time (Training::launch), a worker's part of a bucket waits for
/// the start before anything is done with it:
///
///     a bucket's part is ready    it waits for earlier collectives, then takes `launch`
///     parts of the same bucket    parts that leave together (Bucket::with) are started together
///
/// The start takes no core: it overlaps what the process computes, and a library carries out the
/// collectives of a communicator in order. If a start takes no time, parts are not queued.
class LaunchQueue {
 public:
  /// A part of a bucket, by its index.
  using Part = std::pair<std::uint32_t, Payload>;

  LaunchQueue(std::shared_ptr<const Training> training, TimerId timer)
      : training_(std::move(training)), timer_(timer) {}

  /// Queues a part of this round until its collective has started; returns `part` if it has.
  std::optional<Payload> wait(Step round, std::uint32_t bucket, Payload part, Effects& effects) {
    const Collective collective{round, training_->layout->buckets[bucket].leaves_with()};
    if (training_->launch.ns == 0 || started_ == collective) return part;
    if (waiting_.empty() || waiting_.back().collective != collective) {
      waiting_.push_back({collective, {}});
      if (waiting_.size() == 1) start_next(effects);
    }
    waiting_.back().parts.emplace_back(bucket, std::move(part));
    return std::nullopt;
  }
  /// The timer has fired. Returns the parts of the collective that has started.
  std::vector<Part> started(Effects& effects) {
    started_ = waiting_.front().collective;
    std::vector<Part> parts = std::move(waiting_.front().parts);
    waiting_.pop_front();
    if (!waiting_.empty()) start_next(effects);
    return parts;
  }

 private:
  struct Collective {
    Step round;
    std::int64_t first = 0;  // its first parameter
    bool operator==(const Collective&) const = default;
  };
  struct Waiting {
    Collective collective;
    std::vector<Part> parts;
  };

  void start_next(Effects& effects) const {
    effects.emplace_back(ArmTimer{timer_, training_->launch, true});
  }

  std::shared_ptr<const Training> training_;
  TimerId timer_;
  std::deque<Waiting> waiting_;        // the first one is being started
  std::optional<Collective> started_;  // the last one started
};

}  // namespace foretrain
