// How long a gradient is made to take: by stragglers, by the time that a host gives it.
#pragma once

#include "models/protocol/job.h"
#include "scenarios/resolve/stragglers.h"

#include <optional>
#include <utility>

namespace foretrain {

/// What a scenario makes of one worker's jobs, for whoever drives it:
///
/// 1. The first job of a batch's gradient (stage 0) draws its factor; its other jobs have it, too.
/// 2. A job takes `factor` times as long as it would.
/// 3. Where the host gives gradients a time (`compute:`), a job takes its share of that, times the
///    factor: a run computes, then sleeps what is left, and takes longer only where computing does.
/// 4. Nobody computes faster than it can: on real cores a factor below 1 counts as 1, except for a
///    given time, of which less can be slept.
/// 5. Jobs that are no gradients take what they take.
class GradientTimes {
 public:
  /// Nothing slows its jobs, and none is given a time: a server's.
  GradientTimes() = default;
  /// `given`: by the worker's host; `real_cores`: they compute, nobody models them.
  GradientTimes(StragglerDraws draws, std::optional<Duration> given, bool real_cores)
      : draws_(std::move(draws)), given_(given), real_cores_(real_cores) {}

  /// The job begins: its factor. Each job once, in order.
  double begin(const Job& job);
  /// The job's part of the time that its gradient is given, before any factor.
  [[nodiscard]] std::optional<Duration> given(const Job& job) const;

 private:
  std::optional<StragglerDraws> draws_;
  std::optional<Duration> given_;
  bool real_cores_ = false;
  double factor_ = 1;  // of the gradient that is computed
};

}  // namespace foretrain
