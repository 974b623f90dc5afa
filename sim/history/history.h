// What happened in a simulation, what each of it waited for.
#pragma once

#include "models/base/time.h"
#include "models/protocol/node.h"
#include "sim/engine/slots.h"
#include "sim/history/resource.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace foretrain::sim {

/// An activity by its number; 0 is the beginning of the training, which took no time.
using ActivityId = std::uint32_t;

/// A span of time in which one resource was at work, or was waited for.
///
/// It begins when both of its predecessors have ended: `cause`, which asked for it (the message
/// whose program sent it, the job whose result it is), and `before`, which was ahead of it in the
/// line for the same thread, the same connection. Numbers ascend along these edges, so the
/// activities are a graph without cycles, in topological order.
struct Activity {
  Instant begin;
  Instant end;
  ActivityId cause = 0;
  ActivityId before = 0;   ///< 0: nobody was ahead of it
  std::uint32_t node = 0;  ///< whose it is; of a message its sender
  Resource resource = Resource::waiting;
  bool queued = false;  ///< somebody else had the resource meanwhile
};

/// Told by the drivers, the cores, the network of one simulation, in the order of virtual time; it
/// tells them nothing, so a simulation with a history ends as one without. They tell a Recorder
/// (history/recorder.h), which has a history or none.
///
/// A program acts on one input at a time: what it asks for then is caused by that input, the
/// current activity.
///
/// Realism: a span in which a thread waits for its core counts for what the core does meanwhile,
/// without looking into why that is there.
class History {
 public:
  using TaskId = std::uint32_t;
  static constexpr TaskId kNoTask = std::numeric_limits<TaskId>::max();
  /// What is kept at most, about 400 MB; what happens then is not.
  static constexpr std::size_t kMost = 10'000'000;

  History() : activities_(1) {}

  // What is handled now.

  [[nodiscard]] ActivityId current() const { return current_; }
  void go_on_from(ActivityId activity) { current_ = activity; }
  /// The current activity has changed the parameters.
  void updated();

  /// An activity of known length; `cause` itself where it has none. Does not become the current
  /// one.
  ActivityId add(const Activity& activity);

  // Cores.

  std::uint32_t add_core();
  std::uint32_t add_thread();
  /// The current activity has a thread of `node` do this.
  TaskId ask(NodeId node, Instant now, const Effort& effort);
  /// A core did it, from one instant to another.
  void ran(std::uint32_t core, TaskId task, Instant from, Instant to);
  /// Nobody waits for the core.
  void idle(std::uint32_t core) { cores_[core].clear(); }
  /// It is done: what it waited for, what it did itself is the current activity.
  void ended(std::uint32_t core, std::uint32_t thread, TaskId task, Instant now);
  /// Threads of `node` that stand still from now on do so for this.
  void stopped(NodeId node, Resource why);

  // What came out.

  [[nodiscard]] const std::vector<Activity>& activities() const { return activities_; }
  /// The one that changed the parameters last; 0: none did.
  [[nodiscard]] ActivityId last() const { return last_; }
  /// Something has happened that is not kept.
  [[nodiscard]] bool full() const { return full_; }

 private:
  struct Task {
    Instant asked;
    ActivityId cause = 0;
    std::uint32_t node = 0;
    Effort effort{Resource::input};
  };
  struct Ran {
    Instant from;
    Instant to;
    TaskId task = kNoTask;
    Resource resource = Resource::input;
  };
  struct Thread {
    ActivityId last = 0;
    Instant ended;
  };
  /// Times of resources, each once, in the order in which they came.
  class Sums;

  [[nodiscard]] Resource reason_of(std::uint32_t node) const;

  std::vector<Activity> activities_;
  ActivityId current_ = 0;
  ActivityId last_ = 0;
  bool full_ = false;
  Slots<Task> tasks_;
  std::vector<std::vector<Ran>> cores_;  // since they were idle
  std::vector<Thread> threads_;
  std::vector<Resource> stopped_;  // by node
};

}  // namespace foretrain::sim
