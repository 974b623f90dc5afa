// An event loop that polls for a while before it sleeps.
#pragma once

#include "models/base/time.h"

#include <boost/asio/io_context.hpp>

#include <functional>

namespace foretrain::exec {

/// Runs `loop` until it is stopped. After its last event it polls for `poll`, which may change
/// meanwhile, then sleeps. While `occupied` it sleeps at once: its node's compute thread has the
/// core.
///
/// Between two polls it yields, so that nodes which share the core continue. If others need the
/// core for long, a yield returns a slice later (4 ms), although a sleeper would have been woken at
/// once: a round trip took 8 ms next to a busy program instead of 0.06. So after a yield of
/// kSlowYield the loop does not poll for kPause, and twice as long after each further one, up to
/// kLongestPause; after a while without slow yields it begins at kPause again. Processes that start
/// together yield slowly for a moment: with 100 ms from the beginning, the first 100 ms of a
/// training (one worker, one server, batch 160) had steps of 1.1 ms instead of 0.3 ms.
void run_polling(boost::asio::io_context& loop, const Duration& poll,
                 const std::function<bool()>& occupied);

inline constexpr Duration kSlowYield{1'000'000};
inline constexpr Duration kPause{1'000'000};
inline constexpr Duration kLongestPause{100'000'000};

}  // namespace foretrain::exec
