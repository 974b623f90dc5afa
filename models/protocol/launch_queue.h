// The queue of collectives that a worker starts one after another.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/training.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {

/// A worker's part of a bucket waits here until its collective has started:
///
///     a bucket's part is ready    it waits for the start of earlier collectives, then for `launch`
///     one by one                  it also waits until those have ended (Training::one_by_one)
///     parts of the same bucket    parts that leave together (Bucket::with) are started together
///
/// A start (Training::launch) takes no core: it overlaps what the process computes, and a library
/// carries out the collectives of a communicator in order. All workers queue the same collectives
/// in the same order, so none waits for a collective that another has not reached. If a start takes
/// no time and collectives may overlap, parts are not queued.
class LaunchQueue {
 public:
  /// A part of a bucket, by its index.
  using Part = std::pair<std::uint32_t, Payload>;

  LaunchQueue(std::shared_ptr<const Training> training, TimerId timer)
      : training_(std::move(training)), timer_(timer) {}

  /// Queues a part of this round until its collective has started; returns `part` if it has.
  std::optional<Payload> wait(Step round, std::uint32_t bucket, Payload part, Effects& effects);
  /// The timer has fired. Returns the parts of the collective that has started.
  std::vector<Part> started(Effects& effects);
  /// A bucket of the started collective has its new values. Returns the parts of the next
  /// collective, if it starts now.
  std::vector<Part> ended(Effects& effects);

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

  [[nodiscard]] bool takes_time() const { return training_->launch.ns > 0; }
  void open(Collective collective);
  void launch_next(Effects& effects);

  std::shared_ptr<const Training> training_;
  TimerId timer_;
  std::deque<Waiting> waiting_;
  std::optional<Collective> started_;  // the last one started
  std::size_t open_buckets_ = 0;       // one by one: its buckets without new values
  bool launching_ = false;             // the first of `waiting_` is being started
};

}  // namespace foretrain
