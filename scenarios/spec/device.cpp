// Losses of devices that compute together.
#include "scenarios/spec/device.h"

#include <cmath>
#include <numbers>

namespace foretrain {
namespace {

/// The mean of the largest of `count` normal deviates: the integral of 1 - F^count over positive
/// numbers less that of F^count over negative ones, where F is the normal distribution.
double expected_largest(int count) {
  constexpr double kFar = 8;
  constexpr int kSteps = 1600;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double x = -kFar + 2 * kFar * (i + 0.5) / kSteps;
    const double below = std::pow(std::erfc(-x / std::numbers::sqrt2) / 2, count);
    sum += x > 0 ? 1 - below : -below;
  }
  constexpr double kRounded = 1e6;  // so that mathematical libraries agree
  return std::round(sum * 2 * kFar / kSteps * kRounded) / kRounded;
}

}  // namespace

double DeviceSpec::slowed(int workers, int in_host) const {
  const double slowest = variation > 0 ? 1 + variation * expected_largest(workers) : 1;
  return in_host > 1 ? slowest * (1 + together) : slowest;
}

}  // namespace foretrain
