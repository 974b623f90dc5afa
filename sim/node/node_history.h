// A node's access to the history of its simulation.
#pragma once

#include "models/base/quantity.h"
#include "models/protocol/job.h"
#include "sim/history/recorder.h"

namespace foretrain::sim {

/// A Recorder (access to the log of activities) for one node. Maps the node's work and waits to
/// resources. All work of a co-located training counts as one; its updates are not recorded.
class NodeHistory {
 public:
  /// `device`: a device computes the gradients.
  NodeHistory(Recorder history, NodeId id, bool serves, bool neighbour, bool device)
      : history_(history), id_(id), serves_(serves), neighbour_(neighbour), device_(device) {}

  /// Resource of the cores' time for messages.
  [[nodiscard]] Resource messages() const {
    if (neighbour_) return Resource::neighbours;
    return serves_ ? Resource::server_cpu : Resource::worker_cpu;
  }
  [[nodiscard]] Resource of(JobKind job) const {
    if (neighbour_) return Resource::neighbours;
    if (job == JobKind::gradient) return device_ ? Resource::device : Resource::worker_cpu;
    return job == JobKind::evaluate ? Resource::evaluation : Resource::apply;
  }
  /// True for a node of another training that shares the hosts.
  [[nodiscard]] bool neighbour() const { return neighbour_; }

  [[nodiscard]] ActivityId current() const { return history_.current(); }
  void go_on_from(ActivityId activity) const { history_.go_on_from(activity); }
  /// Adds a span in which the node only waited for `resource`.
  ActivityId waited(Resource resource, Instant since, Instant until, ActivityId cause) const {
    return history_.add({since, until, cause, 0, index_of(id_), resource, false});
  }
  /// The current activity has changed the parameters; ignored for a co-located training.
  void updated() const {
    if (!neighbour_) history_.updated();
  }
  /// The node is stopped from now on because of `why`; ignored for a co-located training.
  void stopped(Resource why) const {
    if (!neighbour_) history_.stopped(id_, why);
  }
  /// The current activity requests this work.
  [[nodiscard]] History::TaskId ask(Instant now, const CostBreakdown& effort) const {
    return history_.ask(id_, now, effort);
  }

 private:
  Recorder history_;
  NodeId id_;
  bool serves_;
  bool neighbour_;
  bool device_;
};

}  // namespace foretrain::sim
