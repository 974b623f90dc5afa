// A line on standard error, drawn anew.
#include "reports/terminal/progress.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace foretrain {
namespace {
using Clock = std::chrono::steady_clock;
constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kLine = std::chrono::seconds(5);
constexpr int kBar = 24;
}  // namespace

Progress::Progress(std::string what, bool quiet)
    : what_(std::move(what)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      next_(start_) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::int64_t done, std::int64_t all, Duration clock) {
  const auto now = Clock::now();
  if (quiet_ || now < next_ || all <= 0) return;
  if (next_ == start_) {
    // The first call begins the count: what came before it was preparation.
    start_ = now;
    next_ = now + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLine));
    first_ = done;
    return;
  }
  next_ = now + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLine));
  const double passed_s = std::chrono::duration<double>(now - start_).count();
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  const double rate = static_cast<double>(done - first_) / passed_s;
  const double left_s = rate > 0 ? static_cast<double>(all - done) / rate : 0;
  const std::string figures =
      fmt::format("{}/{} steps, {:.0f} a second, clock {:.1f} s, {:.0f} s left", done, all, rate,
                  clock.seconds(), left_s);
  if (!terminal_) {
    fmt::print(stderr, "{}: {:.0f} %, {}\n", what_, 100 * share, figures);
    return;
  }
  const int full = static_cast<int>(share * kBar);
  fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {}", what_, "", full, "", kBar - full, figures);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace foretrain
