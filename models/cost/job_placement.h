// The threads on which a driver carries out a job: the event loop, or compute threads.
#pragma once

#include "models/base/cost.h"
#include "models/base/time.h"

#include <cstdint>

namespace foretrain {

/// Jobs cheaper than this run on the event loop: waking a thread costs about as much.
inline constexpr Duration kInlineJob{50'000};

/// The time of a job on a fixed nominal core (80 GFLOP/s, 40 GB/s: a slow core with AVX2), s. Times
/// measured by a profile are taken as they are.
constexpr double nominal_seconds(const TotalCost& cost) {
  return cost.flops.value / 80e9 + static_cast<double>(cost.bytes.value) / 40e9 +
         cost.measured.seconds();
}

/// A job of this cost is too small for a compute thread: by the nominal core, not by a measured
/// one, so that a run and its simulation on any machine agree.
constexpr bool runs_inline(const TotalCost& cost) {
  return nominal_seconds(cost) < kInlineJob.seconds();
}

enum class JobPlace : std::uint8_t {
  loop,            ///< between two messages
  one_thread,      ///< a compute thread
  compute_threads  ///< all compute threads, in parallel
};

/// A small job runs on the loop, but not if it `sleeps` until a given time has passed
/// (scenarios/resolve/gradient_times.h): nothing could be sent or received meanwhile. It computes
/// so little that it needs only one thread. Any other job uses all compute threads.
constexpr JobPlace place_of(const TotalCost& cost, bool sleeps) {
  if (!runs_inline(cost)) return JobPlace::compute_threads;
  return sleeps ? JobPlace::one_thread : JobPlace::loop;
}

}  // namespace foretrain
