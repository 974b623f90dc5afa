// An event loop that polls for a while before it sleeps.
#pragma once

#include "models/base/time.h"

#include <boost/asio/io_context.hpp>

#include <functional>

namespace foretrain::exec {

/// How long a loop looks again before it sleeps. Waking a sleeper on another core costs 50 to 300
/// us on a virtual machine, more the longer its core has been idle: on two cores a sync step of two
/// workers (batch 256) took 0.68 ms asleep, 0.31 ms at 50 us of polling, 0.28 ms at 200 us or more.
inline constexpr Duration kPoll{200'000};

/// Runs `loop` until it is stopped. After its last event it polls for `poll`, and yields its core
/// between two looks, so that nodes which share the core go on; then it sleeps. While `occupied` it
/// sleeps at once: its own compute thread has the core.
void run_polling(boost::asio::io_context& loop, Duration poll,
                 const std::function<bool()>& occupied);

}  // namespace foretrain::exec
