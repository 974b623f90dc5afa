// What the jobs of a node ask of its cores.
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

/// What one job asks of a thread that carries it out.
struct JobEffort {
  Effort effort;  ///< told apart by what it is spent on
  Cpu::Pace pace = Cpu::Pace::shared;
  Duration least{};       ///< it ends so long after its beginning, or later: its given time
  Duration straggling{};  ///< of that time, or of the effort
};

/// The effort of a job of one node:
///
///     gradient  its time (sim/cpu/job_time.h) x jitter x factor
///     (scenarios/resolve/gradient_times.h)
///               + what a framework spends
///     others    their time
///
/// Their time is that of their compute, that until their bytes are there (cache_use.h), what is
/// lost where messages came since the last job (Machine::resume), what a thread beside the loop
/// takes to be handed them (Machine::thread_change).
///
/// Jitter is a draw of each gradient, lognormal of median 1. Another time factor of straggling
/// scales what a factor is above 1.
///
/// Where a recorded run says what the job took, that is all (sim/cpu/recorded_times.h): no jitter,
/// no factor, nothing for cores or caches shared with others. Of a given time it sleeps the rest,
/// as the run did.
class JobEfforts {
 public:
  /// `cache_use`: of its node, outlives this; null: every byte is there. `sums_beside`: sums and
  /// updates need not wait for what its threads do: gradients that are a device's, what a framework
  /// spends on those of others.
  JobEfforts(const TimeFactors& time_factors, const JobTime& job_time, RecordedTimes recorded,
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

  /// The job begins. @throws InputError where it would take longer than 30 years
  JobEffort begin(const Job& job);
  /// The node handled a message.
  void message() { messages_came_ = true; }
  /// Where it is carried out.
  [[nodiscard]] JobPlace place(const Job& job) const {
    if (job.kind == JobKind::apply && job_time_.updates_on_device()) return JobPlace::one_thread;
    const bool sums = job.kind == JobKind::reduce || job.kind == JobKind::apply;
    if (sums && sums_beside_) return JobPlace::loop;
    return !sums && job_time_.on_device() ? JobPlace::one_thread : place_of(job.cost, sleeps(job));
  }
  /// It is given a time, so it sleeps what is left of that.
  [[nodiscard]] bool sleeps(const Job& job) const { return times_.given(job).has_value(); }

 private:
  [[nodiscard]] JobEffort as_recorded(const Job& job, Duration took, double straggling) const;
  [[nodiscard]] JobEffort gradient(const Job& job, Duration undisturbed, double straggling) const;
  double straggling(const Job& job);
  /// Until its bytes are there.
  Duration refill(const Job& job);
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
  double jitter_factor_ = 1;  // of the gradient that is computed
  bool messages_came_ = false;
  CacheUse* cache_use_;
  bool sums_beside_;
};

}  // namespace foretrain::sim
