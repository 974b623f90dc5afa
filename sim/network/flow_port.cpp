#include "sim/network/flow_port.h"

#include "models/base/ethernet.h"

namespace foretrain::sim {
namespace {
constexpr double kPacket = ethernet::kCounted;  // a bucket with less than a packet in it is empty
}  // namespace

void FlowPort::advance_to(Instant now) {
  const double passed_s = (now - advanced_to).seconds();
  advanced_to = now;
  served += fair_rate * passed_s;
  if (spec.burst == 0) return;
  tokens = std::clamp(tokens + (spec.rate - load) * passed_s, 0.0, spec.burst);
}

void FlowPort::renew_capacity() {
  if (spec.burst == 0) return;
  const bool saved =
      tokens >= std::min(kPacket, spec.burst) || (capacity > spec.rate && tokens >= 1);
  capacity = saved ? burst_rate() : spec.rate;
}

}  // namespace foretrain::sim
