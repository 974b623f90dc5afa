// What one direction of a link lets pass.
#pragma once

namespace foretrain::sim {

/// One direction of a link. A token bucket saves up to `burst` bytes at `rate` while less than that
/// passes, and lets what it has saved pass at kBurstRate: a shaped interface, a cloud's limit.
struct PortSpec {
  double rate = 0;   ///< above 0, bytes/s
  double burst = 0;  ///< bytes; 0: a plain port
};

/// What passes a token bucket that is not empty, bytes/s: about a virtual link's rate.
inline constexpr double kBurstRate = 5e9;

}  // namespace foretrain::sim
