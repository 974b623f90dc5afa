#include "scenarios/import/trace_steps.h"

#include <algorithm>
#include <cstddef>

namespace foretrain {

std::vector<TraceSpan> measured_steps(std::vector<TraceSpan> steps) {
  std::ranges::sort(steps, {}, &TraceSpan::start_us);
  const std::size_t count = steps.size();
  const std::size_t first = std::min<std::size_t>(2, count > 2 ? count - 2 : count - (count > 0));
  const std::size_t last = count > 2 ? count - 1 : count;
  return {steps.begin() + static_cast<std::ptrdiff_t>(first),
          steps.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace foretrain
