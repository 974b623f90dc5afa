// Recorded activities of a simulation with the dependencies between them.
#pragma once

#include "models/base/time.h"
#include "models/protocol/node.h"
#include "sim/engine/slots.h"
#include "sim/history/resource.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace foretrain::sim {

/// Number of an activity; 0 is the beginning of the training, which took no time.
using ActivityId = std::uint32_t;

/// A span of time in which one resource worked or was waited for.
///
/// It begins when both of its predecessors have ended: `cause`, which requested it (the message
/// whose program sent it, the job whose result it is), and `before`, which preceded it in the queue
/// of the same thread or connection. Numbers ascend along these edges, so the activities form an
/// acyclic graph in topological order.
struct Activity {
  Instant begin;
  Instant end;
  ActivityId cause = 0;
  ActivityId before = 0;   ///< 0 if nothing preceded it in the queue
  std::uint32_t node = 0;  ///< node that it belongs to; for a message its sender
  Resource resource = Resource::waiting;
  bool queued = false;  ///< another activity occupied the resource meanwhile
};

/// The drivers, cores and network of one simulation report to it in the order of virtual time. It
/// returns nothing that influences them, so a simulation with a history ends exactly as one
/// without. They report through a Recorder (history/recorder.h), which may have no history.
///
/// A program handles one input at a time: all that it requests then is caused by that input, the
/// current activity.
///
/// If some hosts are simulated for all (sim/world/fold.h), a message from another host is recorded
/// as sent by the simulated host that stands for it: it takes as long at the same time.
///
/// Realism: a span in which a thread waits for its core counts as what the core does meanwhile,
/// without asking why that work is there.
class History {
 public:
  using TaskId = std::uint32_t;
  static constexpr TaskId kNoTask = std::numeric_limits<TaskId>::max();
  /// Maximum number of recorded activities, about 400 MB; later ones are dropped.
  static constexpr std::size_t kMost = 10'000'000;

  History() : activities_(1) {}

  // The current activity.

  [[nodiscard]] ActivityId current() const { return current_; }
  void go_on_from(ActivityId activity) { current_ = activity; }
  /// Records that the current activity has changed the parameters.
  void updated();

  /// Adds an activity of known length and returns it, or `cause` if its length is 0. The current
  /// activity stays the same.
  ActivityId add(const Activity& activity);

  // Cores.

  std::uint32_t add_core();
  std::uint32_t add_thread();
  /// The current activity requests this work from a thread of `node`.
  TaskId ask(NodeId node, Instant now, const CostBreakdown& effort);
  /// A core worked on the task between these instants.
  void ran(std::uint32_t core, TaskId task, Instant from, Instant to);
  /// No thread waits for the core.
  void idle(std::uint32_t core) { cores_[core].clear(); }
  /// The task is done: adds what it waited for and its own work; the last of these becomes current.
  void ended(std::uint32_t core, std::uint32_t thread, TaskId task, Instant now);
  /// Threads of `node` that are stopped from now on count as `why`.
  void stopped(NodeId node, Resource why);

  // Results.

  [[nodiscard]] const std::vector<Activity>& activities() const { return activities_; }
  /// The activity that changed the parameters last; 0 if none did.
  [[nodiscard]] ActivityId last() const { return last_; }
  /// True if activities were dropped.
  [[nodiscard]] bool full() const { return full_; }

 private:
  struct Task {
    Instant asked;
    ActivityId cause = 0;
    std::uint32_t node = 0;
    CostBreakdown effort{Resource::input};
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
  /// Times by resource, in the order of first occurrence.
  class Sums;

  [[nodiscard]] Resource reason_of(std::uint32_t node) const;

  std::vector<Activity> activities_;
  ActivityId current_ = 0;
  ActivityId last_ = 0;
  bool full_ = false;
  Slots<Task> tasks_;
  std::vector<std::vector<Ran>> cores_;  // spans since the core was idle
  std::vector<Thread> threads_;
  std::vector<Resource> stopped_;  // by node
};

}  // namespace foretrain::sim
