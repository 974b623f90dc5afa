// Gradient times that a scenario dictates: by stragglers, by a host's `compute:`.
#pragma once

#include "models/protocol/job.h"
#include "scenarios/resolve/stragglers.h"

#include <optional>
#include <utility>

namespace foretrain {

/// How a scenario changes the times of one worker's jobs, in a run as in a simulation:
///
/// 1. The first job of a batch's gradient (stage 0) draws the factor for all jobs of the gradient.
/// 2. A job takes `factor` times as long as it would.
/// 3. If the host fixes the time of gradients (`compute:`), a job takes its share of that time,
/// multiplied by the factor. A run computes, then sleeps for the rest; it takes longer only if the
/// computation does.
/// 4. On real cores no job can be faster than the hardware: a factor below 1 counts as 1, except
/// with a fixed time, because the sleep can be shortened.
/// 5. Other jobs are unchanged.
class GradientTimes {
 public:
  /// Changes nothing; for servers.
  GradientTimes() = default;
  /// `given`: from the worker's host; `real_cores`: jobs run on real cores, not on a model of them.
  GradientTimes(StragglerDraws draws, std::optional<Duration> given, bool real_cores)
      : draws_(std::move(draws)), given_(given), real_cores_(real_cores) {}

  /// Returns the factor of a job that begins. To be called once per job, in order.
  double begin(const Job& job);
  /// The job's share of its gradient's fixed time, before any factor.
  [[nodiscard]] std::optional<Duration> given(const Job& job) const;

 private:
  std::optional<StragglerDraws> draws_;
  std::optional<Duration> given_;
  bool real_cores_ = false;
  double factor_ = 1;  // of the current gradient
};

}  // namespace foretrain
