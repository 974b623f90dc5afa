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
  NodeHistory(Recorder history, NodeId id, bool serves, bool colocated_job, bool device)
      : history_(history),
        id_(id),
        serves_(serves),
        colocated_job_(colocated_job),
        device_(device) {}

  /// Resource of the cores' time for messages.
  [[nodiscard]] Resource messages() const {
    if (colocated_job_) return Resource::colocated_jobs;
    return serves_ ? Resource::server_cpu : Resource::worker_cpu;
  }
  [[nodiscard]] Resource of(JobKind job) const {
    if (colocated_job_) return Resource::colocated_jobs;
    if (job == JobKind::gradient) return device_ ? Resource::device : Resource::worker_cpu;
    return job == JobKind::evaluate ? Resource::evaluation : Resource::apply;
  }
  /// True for a node of another training that shares the hosts.
  [[nodiscard]] bool colocated_job() const { return colocated_job_; }

  [[nodiscard]] ActivityId current() const { return history_.current(); }
  void go_on_from(ActivityId activity) const { history_.go_on_from(activity); }
  /// Adds a span in which the node only waited for `resource`.
  ActivityId waited(Resource resource, Instant since, Instant until, ActivityId cause) const {
    return history_.add({since, until, cause, 0, index_of(id_), resource, false});
  }
  /// The current activity has changed the parameters; ignored for a co-located training.
  void updated() const {
    if (!colocated_job_) history_.updated();
  }
  /// The node is stopped from now on because of `why`; ignored for a co-located training.
  void stopped(Resource why) const {
    if (!colocated_job_) history_.stopped(id_, why);
  }
  /// The current activity requests this work.
  [[nodiscard]] History::TaskId ask(Instant now, const CostBreakdown& effort) const {
    return history_.ask(id_, now, effort);
  }

 private:
  Recorder history_;
  NodeId id_;
  bool serves_;
  bool colocated_job_;
  bool device_;
};

}  // namespace foretrain::sim
