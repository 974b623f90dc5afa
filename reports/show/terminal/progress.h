// How far a long piece of work has come, for people.
#pragma once

#include "models/base/time.h"
#include "reports/record/text.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretrain {

/// `run sync [####....]  50 %, 250/500 steps, 1500/s, at 0.2 s, 0 s left`, without the bar
/// `run sync:  50 %, ...`; `what` is cut where the line would be wider than a terminal of
/// `columns`. `all` is positive, `rate` in steps a second. Of another `unit` no rate, no clock:
/// `whatif sync:   9 %, 3 of 35 changes, 12 s left`.
std::string progress_line(std::string_view what, std::int64_t done, std::int64_t all, double rate,
                          Duration clock, bool bar, std::size_t columns = kTerminalColumns,
                          std::string_view unit = "steps");

/// A bar that is redrawn on a terminal, a plain line every few seconds elsewhere; on standard
/// error. The bar is wiped when the object goes.
class Progress {
 public:
  /// `what` stands in front: `run sync`. `quiet`: nothing is written.
  Progress(std::string what, bool quiet, std::string unit = "steps");
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// `done` of `all` steps, at `clock` of the training (virtual in a simulation). May be called
  /// often: it writes at most ten times a second.
  void update(std::int64_t done, std::int64_t all, Duration clock = {});

 private:
  std::string what_;
  std::string unit_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  std::int64_t first_ = 0;  // done at the first call
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace foretrain
