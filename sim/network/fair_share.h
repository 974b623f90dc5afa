// Max-min fair sharing of ports among flows, as a pure function.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace foretrain::sim {

/// A flow leaves a host by one port and enters another by a second one.
struct FlowPorts {
  std::size_t out = 0;
  std::size_t in = 0;
};

/// The rates of flows that share ports max-min fairly (Bertsekas and Gallager, Data
/// Networks, 6.5.2): no flow can be given more without taking from one that has no more than it.
///
///     for every port p:  sum of rate_f over the flows f through p  <=  capacity_p
///     every flow has a bottleneck: a port that is full, and on which no flow is faster than it
///
/// Found by filling: the port with the least capacity left for each of its flows without a rate
/// gives them that share; they are set, and what they take elsewhere is taken off; again until all
/// are set. `capacities`: by port, above 0, bytes/s. Returns the rates by flow, bytes/s.
///
/// Realism: long TCP flows of equal round trip share about like this; no loss, no start-up.
std::vector<double> max_min_rates(std::span<const double> capacities,
                                  std::span<const FlowPorts> flows);

}  // namespace foretrain::sim
