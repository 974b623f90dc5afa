#include "exec/driver/event_loop.h"

#include <sched.h>

#include <chrono>

namespace foretrain::exec {

void run_polling(boost::asio::io_context& loop, Duration poll,
                 const std::function<bool()>& occupied) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::nanoseconds limit(poll.ns);
  Clock::time_point last_event = Clock::now();
  // An io_context without work stops itself; so does one that was told to.
  while (!loop.stopped()) {
    if (loop.poll() > 0) {
      last_event = Clock::now();
    } else if (occupied() || Clock::now() - last_event >= limit) {
      loop.run_one();
      last_event = Clock::now();
    } else {
      sched_yield();
    }
  }
}

}  // namespace foretrain::exec
