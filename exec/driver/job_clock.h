// What each job takes of its core, as the record of a run has it.
#pragma once

#include "models/base/time.h"

#include <array>
#include <chrono>
#include <cstddef>

namespace foretrain::exec {

/// Measures jobs for InputRow::took, so that a simulation can take them over as they were:
///
///     on a compute thread  CPU time of that thread since its last job ended
///                          + what the loop spends to hand a job over and to be told of its end
///     on the loop          the time that passed until the program is told, where nothing else was
///                          done between, else until it was done; nothing, where that is over
///                          kInterrupted
///
/// CPU time, since others on the core hold a job up, and a simulation of them does so again. The
/// loop's share is the time that passed from asking to being told without the thread's: the lower
/// quartile of the last ones, since messages, or other nodes, come between. Jobs that waited in
/// line for the thread tell nothing of it, nor do those that waited longer than handing over can
/// take.
///
/// Asking for a thread's CPU time is a call into the kernel, 0.5 us: once for a job that is worth a
/// thread, never for one on the loop, which is a few microseconds long and seldom interrupted.
class JobClock {
 public:
  using Clock = std::chrono::steady_clock;

  /// Whoever waited longer for a job, besides its own time, waited for others.
  static constexpr Duration kLongestHandover{30'000};
  /// A job so long was none of the loop's: somebody else had the core.
  static constexpr Duration kInterrupted{1'000'000};

  /// On the compute thread, before its first job and after each: CPU time since the last call.
  Duration lap();
  /// On the loop, which was told of a job `passed` after it had asked for it: the whole of `lap`.
  /// `at_once`: the thread was idle then.
  Duration handed_over(Duration passed, Duration lap, bool at_once);

  /// Of a job on the loop that was told so long after it began.
  static Duration on_loop(Duration passed);

  static Duration since(Clock::time_point begin);

 private:
  static constexpr std::size_t kLast = 16;

  Duration seen_;                     // CPU time of the compute thread at its last lap
  std::array<Duration, kLast> last_;  // differences
  std::size_t told_ = 0;              // jobs so far
};

}  // namespace foretrain::exec
