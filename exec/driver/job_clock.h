// The core time of each job, for the record of a run.
#pragma once

#include "models/base/time.h"

#include <array>
#include <chrono>
#include <cstddef>

namespace foretrain::exec {

/// Measures jobs for InputRow::took, so that a simulation can use their times:
///
///     on a compute thread  CPU time of that thread since its last job ended
///                          + the loop's time to hand a job over and to receive its end
///     on the loop          elapsed time until the program is notified, if nothing else was done
///                          in between, else until the job was done; 0 if that exceeds
///                          kInterrupted
///
/// CPU time, because others on the core delay a job, and a simulation models that itself. The
/// loop's share is the elapsed time from request to notification without the thread's time: the
/// lower quartile of recent jobs, since messages or other nodes come in between. Jobs that were
/// queued for the thread do not count for it, nor do those with a wait that is too long for a
/// handoff.
///
/// Reading a thread's CPU time is a system call, 0.5 us: done once for a job that is worth a
/// thread, never for one on the loop, which takes a few microseconds and is seldom interrupted.
class JobClock {
 public:
  using Clock = std::chrono::steady_clock;

  /// A longer wait for a job, in addition to its own time, was a wait for others.
  static constexpr Duration kLongestHandover{30'000};
  /// A longer job on the loop was interrupted: another thread had the core.
  static constexpr Duration kInterrupted{1'000'000};

  /// On the compute thread, before its first job and after each: CPU time since the last call.
  Duration lap();
  /// On the loop, notified of a job `passed` after the request: the total time, with the thread's
  /// `lap`. `at_once`: the thread was idle at the request.
  Duration handed_over(Duration passed, Duration lap, bool at_once);

  /// Time of a job on the loop whose end was reported `passed` after its beginning.
  static Duration on_loop(Duration passed);

  static Duration since(Clock::time_point begin);

 private:
  static constexpr std::size_t kLast = 16;

  Duration seen_;                     // CPU time of the compute thread at its last lap
  std::array<Duration, kLast> last_;  // recent differences
  std::size_t told_ = 0;              // jobs so far
};

}  // namespace foretrain::exec
