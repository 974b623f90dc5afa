// An event loop that polls for a while before it sleeps.
#pragma once

#include "models/base/time.h"

#include <boost/asio/io_context.hpp>

#include <functional>

namespace foretrain::exec {

/// How long a loop looks again, unless the scenario says otherwise, before it sleeps. Waking a
/// sleeper on another core costs 50 to 600 us on a virtual machine, more the longer its core has
/// been idle: on two cores a sync step of two workers (softmax, batch 256) took 0.68 to 0.77 ms
/// asleep, 0.31 ms at 50 us of polling, 0.28 ms at 200 us. A millisecond, since a gradient that
/// takes as long as the polling is met by sleepers: with one worker (batch 160, 0.2 ms) a step took
/// 0.32 ms at 200 us, 0.27 ms at 1 ms, 0.25 ms at 5 ms, with three 0.75, 0.55, 0.57 ms (medians of
/// nine runs each).
inline constexpr Duration kPoll{1'000'000};

/// Runs `loop` until it is stopped. After its last event it polls for `poll`, which may change
/// meanwhile, then sleeps. While `occupied` it sleeps at once: its own compute thread has the core.
///
/// Between two looks it yields, so that nodes which share the core go on. Where others want the
/// core for long, a yield comes back a slice later (4 ms), when a sleeper would have been woken at
/// once: a round trip took 8 ms beside a busy program instead of 0.06. So after a yield that took
/// kSlowYield the loop does not poll for kPause, twice as long after the next one, at most
/// kLongestPause; a while without slow yields, and it begins at kPause again. Processes that start
/// beside each other yield slowly for a moment: with 100 ms at once, the first 100 ms of a training
/// (one worker, one server, batch 160) had steps of 1.1 ms, without them of 0.3 ms.
void run_polling(boost::asio::io_context& loop, const Duration& poll,
                 const std::function<bool()>& occupied);

inline constexpr Duration kSlowYield{1'000'000};
inline constexpr Duration kPause{1'000'000};
inline constexpr Duration kLongestPause{100'000'000};

}  // namespace foretrain::exec
