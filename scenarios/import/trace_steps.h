// Selection of the steps of a trace that are measured.
#pragma once

#include <vector>

namespace foretrain {

struct TraceSpan {
  double start_us = 0;
  double end_us = 0;

  [[nodiscard]] bool overlaps(const TraceSpan& other) const {
    return start_us < other.end_us && other.start_us < end_us;
  }
  [[nodiscard]] bool has(double us) const { return start_us <= us && us < end_us; }
};

/// All steps except the first two and the last, which the profiler's start and end lengthen, in
/// time order. If there are only three steps, the second; if there are two, the last; else the one.
std::vector<TraceSpan> measured_steps(std::vector<TraceSpan> steps);

}  // namespace foretrain
