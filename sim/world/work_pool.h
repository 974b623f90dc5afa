// The work of jobs, done on other cores of this machine while virtual time goes on.
#pragma once

#include "models/protocol/job.h"

#include <cstddef>
#include <memory>

namespace foretrain::sim {

/// Threads that work on the jobs of a simulation, beside its own.
///
/// A simulation with numerics spends its time in gradients. Those of workers that compute side by
/// side in virtual time are computed side by side here: a job for threads that compute may be
/// worked on from when it begins, and is waited for at its end in virtual time. What it reads and
/// writes its node leaves alone meanwhile, as in a run (`Job::work`), so all comes out as without
/// these threads, to the last bit.
class WorkPool {
 public:
  /// `cores`, 2 or more: for the simulation's thread and others, or fewer where the system gives no
  /// more threads.
  explicit WorkPool(int cores);
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

 private:
  friend class WorkAhead;
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

/// The work of one node's jobs: one after another, in the order in which they begin. Jobs are named
/// by number. Used by the thread of the simulation.
class WorkAhead {
 public:
  /// `pool`: outlives this; null: all work is done at its end.
  explicit WorkAhead(WorkPool* pool);
  ~WorkAhead();
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

  /// Where there is a pool: takes the job's work over, with what it prepares for the next one.
  void begin(std::size_t number, Job& job) {
    if (queue_ && job.work) post(number, job);
  }
  /// The job ends: waits for its work, and does other work of the pool meanwhile; what has not
  /// begun is done now. Then all that the work held is let go. @throws what the work threw
  JobResult finish(std::size_t number, Job& job) {
    return queue_ || job.work ? finish_work(number, job) : JobResult{};
  }
  /// Nobody asks for results any more: work that no thread is at never begins, nor does any from
  /// now on; the rest is over on return.
  void drop();

 private:
  class Task;
  struct Queue;
  void post(std::size_t number, Job& job);
  JobResult finish_work(std::size_t number, Job& job);

  std::unique_ptr<Queue> queue_;  // null: no pool
};

}  // namespace foretrain::sim
