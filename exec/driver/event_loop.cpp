#include "exec/driver/event_loop.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace foretrain::exec {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void run_polling(boost::asio::io_context& loop, const Duration& poll,
                 const std::function<bool()>& occupied) {
  const auto nanoseconds = [](Duration d) { return std::chrono::nanoseconds(d.ns); };
  Duration pause = kPause;
  Clock::time_point last_event = Clock::now();
  Clock::time_point pause_end = last_event;
  // An io_context without work stops itself, like one on which stop was called.
  while (!loop.stopped()) {
    if (loop.poll() > 0) {
      last_event = Clock::now();
      continue;
    }
    const Clock::time_point now = Clock::now();
    if (pause > kPause && now - pause_end > nanoseconds(pause)) pause = kPause;
    if (occupied() || now < pause_end || now - last_event >= nanoseconds(poll)) {
      loop.run_one();
      last_event = Clock::now();
      continue;
    }
    sched_yield();
    if (Clock::now() - now < nanoseconds(kSlowYield)) continue;
    pause_end = now + nanoseconds(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace foretrain::exec
