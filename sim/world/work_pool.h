// Executes the work of jobs on other cores of this machine while virtual time advances.
#pragma once

#include "models/protocol/job.h"

#include <cstddef>
#include <memory>

namespace foretrain::sim {

/// Threads that do the work of a simulation's jobs, in addition to the simulation's own thread.
///
/// A simulation that computes values (`numerics: on`) spends its time in gradients. Those of
/// workers that compute concurrently in virtual time are computed concurrently here: the work of a
/// job for compute threads may start when the job begins in virtual time, and the simulation waits
/// for it when the job ends there. Until then the node touches no data of that work, as in a run
/// (`Job::work`), so all results are bit-identical to those without these threads.
class WorkPool {
 public:
  /// `cores`, 2 or more: threads including the simulation's; fewer if the system creates no more.
  explicit WorkPool(int cores);
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

 private:
  friend class WorkAhead;
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

/// The work of one node's jobs, one after another in the order in which they begin. Jobs are
/// identified by numbers. Used by the simulation's thread.
class WorkAhead {
 public:
  /// `pool` outlives this; null if all work is done at the end of its job.
  explicit WorkAhead(WorkPool* pool);
  ~WorkAhead();
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

  /// Takes over the job's work and what it prefetches for the next job, if there is a pool.
  void begin(std::size_t number, Job& job) {
    if (queue_ && job.work) post(number, job);
  }
  /// The job ends: waits for its work, doing other work of the pool meanwhile; work that has not
  /// begun is done now. Then releases everything that the work held. @throws what the work threw
  JobResult finish(std::size_t number, Job& job) {
    return queue_ || job.work ? finish_work(number, job) : JobResult{};
  }
  /// Discards all work: nothing more begins, and work that a thread executes is over on return.
  void drop();

 private:
  class Task;
  struct Queue;
  void post(std::size_t number, Job& job);
  JobResult finish_work(std::size_t number, Job& job);

  std::unique_ptr<Queue> queue_;  // null if there is no pool
};

}  // namespace foretrain::sim
