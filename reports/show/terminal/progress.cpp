// A progress line on standard error that is redrawn.
#include "reports/show/terminal/progress.h"

#include "reports/record/stderr_note.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/width.h"
#include "scenarios/language/text_guard.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {
using Clock = std::chrono::steady_clock;
constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainLine = std::chrono::seconds(5);
constexpr std::size_t kBar = 16;  // columns
constexpr std::size_t kBarLeast = 6;
}  // namespace

Progress::Progress(std::string what, bool quiet, std::string unit)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      quiet_(quiet),
      terminal_(moves_cursor(STDERR_FILENO)),
      start_(Clock::now()),
      next_(start_) {}

Progress::~Progress() {
  if (drawn_) stderr_draw("\r\033[K");
}

void Progress::update(std::int64_t done, std::int64_t all, Duration clock) {
  const auto now = Clock::now();
  if (quiet_ || now < next_ || all <= 0) return;
  if (next_ == start_) {
    // Rates count from the first call; the time before it was preparation.
    start_ = now;
    next_ = now + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine));
    first_ = done;
    return;
  }
  next_ = now + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine));
  const double passed_s = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done - first_) / passed_s;
  const std::string line = progress_line(what_, done, all, rate, clock, terminal_,
                                         width_of_terminal(STDERR_FILENO), unit_);
  if (!terminal_) {
    stderr_note(fmt::format("{}\n", line));
    return;
  }
  stderr_draw(fmt::format("\r\033[K{}", printable(line)));
  drawn_ = true;
}

std::string progress_line(std::string_view what, std::int64_t done, std::int64_t all, double rate,
                          Duration clock, bool bar, std::size_t columns, std::string_view unit) {
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  const double left_s = rate > 0 ? static_cast<double>(all - done) / rate : 0;
  const std::string figures =
      unit == "steps" ? fmt::format("{:3.0f} %, {}/{} steps, {:.0f}/s, at {:.1f} s, {:.0f} s left",
                                    100 * share, done, all, rate, clock.seconds(), left_s)
                      : fmt::format("{:3.0f} %, {} of {} {}, {:.0f} s left", 100 * share, done, all,
                                    unit, left_s);
  // The cursor is after the line, so the last column stays free.
  const std::size_t most = columns - 1;
  const std::size_t fixed = columns_of(figures) + (bar ? kBarLeast + 4 : 2);
  const std::size_t room = most - std::min(most, fixed);
  const std::string name = left(what, std::min(columns_of(what), room));
  std::string line = name + ": ";
  if (bar) {
    const std::size_t length = std::min(kBar, kBarLeast + room - columns_of(name));
    const auto full = static_cast<std::size_t>(share * static_cast<double>(length));
    line = fmt::format("{} [{:#<{}}{:.<{}}] ", name, "", full, "", length - full);
  }
  line += figures;
  return columns_of(line) > most ? left(line, most) : line;
}

}  // namespace foretrain
