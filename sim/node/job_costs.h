// The core time that a node's jobs need.
#pragma once

#include "models/base/random.h"
#include "models/cost/job_placement.h"
#include "scenarios/resolve/gradient_times.h"
#include "sim/cpu/cpu.h"
#include "sim/cpu/job_time.h"
#include "sim/cpu/recorded_times.h"
#include "sim/history/resource.h"
#include "sim/node/cache_use.h"
#include "sim/node/node_history.h"

#include <optional>
#include <utility>

namespace foretrain::sim {

/// The cost of a job on each thread that executes it.
struct JobCost {
  CostBreakdown effort;  ///< broken down by resource
  Cpu::ShareMode share_mode = Cpu::ShareMode::shared;
  Duration least{};       ///< minimum time from begin to end: its given time
  Duration straggling{};  ///< part of `least`, or of the effort, that is due to straggling
};

/// Computes the effort of a node's jobs:
///
///     gradient  its time (sim/cpu/job_time.h) x jitter x factor
///     (scenarios/resolve/gradient_times.h)
///               + the time of a framework
///     others    their time
///
/// Their time includes compute, the cache-miss penalty (cache_use.h), the warm-up after messages
/// since the last job (Machine::resume) and the handoff to a thread other than the loop
/// (Machine::thread_change).
///
/// Jitter is drawn per gradient, lognormal with median 1. A time factor of straggling scales the
/// part of a factor that exceeds 1.
///
/// If a recorded run gives the job's time, only that counts (sim/cpu/recorded_times.h): no jitter,
/// no factor, nothing for cores or caches shared with others. If the gradient has a given time, the
/// rest of that is slept, as in the run.
class JobCosts {
 public:
  /// `cache_use`: of the same node, outlives this; null if every access hits. `sums_beside`: sums
  /// and updates need not wait for the node's compute threads, because a device computes the
  /// gradients or a framework spends its time on those of others there.
  JobCosts(const TimeFactors& time_factors, const JobTime& job_time, RecordedTimes recorded,
           GradientTimes times, Stream jitter, const NodeHistory& history, CacheUse* cache_use,
           bool sums_beside)
      : time_factors_(time_factors),
        job_time_(job_time),
        recorded_(std::move(recorded)),
        history_(history),
        times_(std::move(times)),
        jitter_(jitter),
        cache_use_(cache_use),
        sums_beside_(sums_beside) {}

  /// A job begins. @throws InputError if it would take longer than 30 years
  JobCost begin(const Job& job);
  /// The node has handled a message.
  void message() { messages_came_ = true; }
  /// The place where the job is executed.
  [[nodiscard]] JobPlace place(const Job& job) const {
    if (job.kind == JobKind::apply && job_time_.updates_on_device()) return JobPlace::one_thread;
    const bool sums = job.kind == JobKind::reduce || job.kind == JobKind::apply;
    if (sums && sums_beside_) return JobPlace::loop;
    return !sums && job_time_.on_device() ? JobPlace::one_thread : place_of(job.cost, sleeps(job));
  }
  /// True if the gradient has a given time and sleeps the rest of it.
  [[nodiscard]] bool sleeps(const Job& job) const { return times_.given(job).has_value(); }

 private:
  [[nodiscard]] JobCost as_recorded(const Job& job, Duration took, double straggling) const;
  [[nodiscard]] JobCost gradient(const Job& job, Duration undisturbed, double straggling) const;
  double straggling(const Job& job);
  /// Cache-miss penalty.
  Duration miss_penalty(const Job& job);
  Duration resumed(const Job& job);
  [[nodiscard]] Duration handed_over(const Job& job) const {
    return place(job) == JobPlace::loop ? Duration{} : job_time_.handed_over(job);
  }

  const TimeFactors& time_factors_;
  const JobTime& job_time_;
  RecordedTimes recorded_;
  NodeHistory history_;
  GradientTimes times_;
  Stream jitter_;
  double jitter_factor_ = 1;  // of the current gradient
  bool messages_came_ = false;
  CacheUse* cache_use_;
  bool sums_beside_;
};

}  // namespace foretrain::sim
