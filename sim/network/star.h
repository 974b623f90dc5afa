// Hosts around one switch.
#pragma once

#include "models/base/quantity.h"
#include "sim/engine/engine.h"
#include "sim/network/fair_share.h"

#include <cstdint>
#include <vector>

namespace foretrain::sim {

/// What ties a host to the switch: full duplex, so its capacity holds in each direction.
struct Nic {
  BytesPerSecond rate;
  Duration latency;  ///< one way, host to switch
};

/// Messages between hosts as fluid flows: those of an instant share the ports max-min fairly, and
/// the last byte arrives the two hosts' latencies after it left.
///
///                     out port             in port
///     host A  ---------------->  switch  ---------------->  host B
///              latency of A                latency of B
///
/// Realism: the switch is never the bottleneck; no framing, no loss, no slow start.
class StarNetwork : public Actor {
 public:
  StarNetwork(Engine& engine, const std::vector<Nic>& hosts);

  /// Moves `size` bytes; `arrived` is woken when the last one is there. `from` is not `to`.
  void transfer(std::size_t from, std::size_t to, Bytes size, Callback arrived);

  void wake(Instant now, std::uint64_t token) override;

 private:
  struct Flow {
    FlowPorts ports;
    double left = 0;  // bytes
    double rate = 0;  // bytes/s
    Duration latency;
    Callback arrived;
  };

  void settle(Instant now);
  void end_flows(Instant now);
  void share(Instant now);

  Engine& engine_;
  std::vector<Nic> hosts_;
  std::vector<double> capacities_;  // host h sends by port 2h, receives by port 2h + 1
  std::vector<Flow> flows_;         // in the order in which they began
  Instant settled_;
  std::uint64_t generation_ = 0;  // of the event that counts
};

}  // namespace foretrain::sim
