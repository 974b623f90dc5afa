// An event loop that polls for a while before it sleeps.
#pragma once

#include "models/base/time.h"

#include <boost/asio/io_context.hpp>

#include <functional>

namespace foretrain::exec {

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
