#include "exec/driver/event_loop.h"

#include <chrono>

namespace foretrain::exec {

void run_polling(boost::asio::io_context& loop, const std::function<Duration()>& patience) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_event = Clock::now();
  // An io_context without work stops itself; so does one that was told to.
  while (!loop.stopped()) {
    if (loop.poll() > 0) {
      last_event = Clock::now();
    } else if (Clock::now() - last_event >= std::chrono::nanoseconds(patience().ns)) {
      loop.run_one();
      last_event = Clock::now();
    }
  }
}

}  // namespace foretrain::exec
