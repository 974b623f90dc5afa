// An event loop that polls for a while before it sleeps.
#pragma once

#include "models/base/time.h"

#include <boost/asio/io_context.hpp>

#include <functional>

namespace foretrain::exec {

/// How long a loop looks again before it sleeps. Waking a sleeper on another core costs 50 to 300
/// us on a virtual machine, more the longer its core has been idle.
inline constexpr Duration kPoll{200'000};

/// Runs `loop` until it is stopped. After an event it polls for `patience()`, then sleeps; asked
/// each time anew, so that zero stops it at once. Only for a node that has its core to itself: on a
/// shared core a poller keeps others from working, and one that yields comes back a slice later (4
/// ms), where a sleeper would have been woken at once.
void run_polling(boost::asio::io_context& loop, const std::function<Duration()>& patience);

}  // namespace foretrain::exec
