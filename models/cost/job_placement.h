// Where a driver carries a job out: on the event loop, or on threads that compute.
#pragma once

#include "models/base/cost.h"
#include "models/base/time.h"

#include <cstdint>

namespace foretrain {

/// Jobs cheaper than this run on the event loop: waking a thread costs about as much.
inline constexpr Duration kInlineJob{50'000};

/// What a job of this cost takes on a fixed nominal core (80 GFLOP/s, 40 GB/s: a slow one that has
/// AVX2), s. What a profile measured it takes as it is.
constexpr double nominal_seconds(const TotalCost& cost) {
  return cost.flops.value / 80e9 + static_cast<double>(cost.bytes.value) / 40e9 +
         cost.measured.seconds();
}

/// Whether a job of this cost is too small for a thread of its own: by the nominal core, not by a
/// measured one, so that a run and its simulation on any machine agree.
constexpr bool runs_inline(const TotalCost& cost) {
  return nominal_seconds(cost) < kInlineJob.seconds();
}

enum class JobPlace : std::uint8_t {
  loop,            ///< between two messages
  one_thread,      ///< of those that compute
  compute_threads  ///< all of them, side by side
};

/// A small job runs on the loop, but not one that `sleeps` until its time is over (it is given one:
/// scenarios/resolve/gradient_times.h): nothing would be sent or received meanwhile. It computes so
/// little that a second thread is not worth waking. Any other job has all threads that compute.
constexpr JobPlace place_of(const TotalCost& cost, bool sleeps) {
  if (!runs_inline(cost)) return JobPlace::compute_threads;
  return sleeps ? JobPlace::one_thread : JobPlace::loop;
}

}  // namespace foretrain
