// Progress of long work, shown to people.
#pragma once

#include "models/base/time.h"
#include "reports/record/wrapped_text.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretrain {

/// `run sync [####....]  50 %, 250/500 steps, 1500/s, at 0.2 s, 0 s left`, without the bar `run
/// sync:  50 %, ...`. `what` is cut if the line is wider than a terminal of `columns`. `all` is
/// positive; `rate` is in steps per second. Another `unit` than steps omits rate and clock: `whatif
/// sync:   9 %, 3 of 35 changes, 12 s left`.
std::string progress_line(std::string_view what, std::int64_t done, std::int64_t all, double rate,
                          Duration clock, bool bar, std::size_t columns = kTerminalColumns,
                          std::string_view unit = "steps");

/// Progress on standard error: a bar that is redrawn on a terminal, else a plain line every few
/// seconds. The destructor erases the bar.
class Progress {
 public:
  /// `what`: first words of the line, `run sync`. `quiet`: nothing is written.
  Progress(std::string what, bool quiet, std::string unit = "steps");
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// `done` of `all` steps, at time `clock` of the training (virtual in a simulation). May be
  /// called often, since at most ten lines per second are written.
  void update(std::int64_t done, std::int64_t all, Duration clock = {});

 private:
  std::string what_;
  std::string unit_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  std::int64_t first_ = 0;  // `done` in the first call
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace foretrain
