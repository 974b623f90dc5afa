// The cost of a message, measured by two nodes that send one to the other in turn.
#pragma once

#include "models/base/quantity.h"
#include "scenarios/machine.h"

namespace foretrain::exec {

/// Per round trip of a message of `payload` bytes there and an empty one back.
struct RoundTrip {
  double time_s = 0;        ///< median
  double cpu_caller_s = 0;  ///< of the node that sends the payload
  double cpu_echo_s = 0;    ///< of the node that answers
};

/// Over loopback TCP, by the driver and the transport that a run uses, each node in a process of
/// its own on the given core.
RoundTrip measure_round_trip(int caller_core, int echo_core, Bytes payload, int rounds);

/// From round trips across two cores, small and large, and on one core:
///
///     small      send(0) + receive(0)           = CPU of a node a round; split evenly
///     large      send(n) - send(0), likewise receive, = what the CPU of each node grew by
///     wake       half a round trip across cores, less send(0) + receive(0)
///     handoff    the same on one core
///
/// `core_b` negative: this machine has one core, and waking another costs nothing.
TransportCost measure_transport(int core_a, int core_b);

}  // namespace foretrain::exec
