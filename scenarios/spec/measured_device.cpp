#include "scenarios/spec/measured_device.h"

#include <algorithm>

namespace foretrain {

double time_ratio(const MeasuredDevice& measured, const Roofline& device) {
  if (!measured.described() || !device.described()) return 1;
  const double computing = measured.gflops / device.gflops;
  const bool both = measured.memory_bandwidth.value > 0 && device.memory_bandwidth.value > 0;
  if (!both) return computing;
  return std::max(computing, measured.memory_bandwidth.value / device.memory_bandwidth.value);
}

}  // namespace foretrain
