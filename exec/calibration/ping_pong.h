// The cost of a message, measured by two nodes that send one to the other in turn.
#pragma once

#include "models/base/quantity.h"
#include "scenarios/machine.h"

namespace foretrain::exec {

/// How the message goes to and fro.
struct PingPong {
  Bytes payload{};       ///< there; the answer is empty
  int rounds = 0;        ///< that count, after some that do not
  Duration rest{};       ///< of the caller between two rounds
  bool polling = false;  ///< as a run does it; else both sleep while they wait
};

/// A round trip.
struct RoundTrip {
  double time_s = 0;        ///< median
  double cpu_caller_s = 0;  ///< of the node that sends the payload, a round in the mean
  double cpu_echo_s = 0;    ///< of the node that answers, likewise
};

/// Over loopback TCP, by the driver and the transport that a run uses, each node in a process of
/// its own on the given core.
RoundTrip measure_round_trip(int caller_core, int echo_core, const PingPong& setting);

/// On one core, where nothing overlaps, a round trip is the CPU time of two messages:
///
///     send(0) + receive(0)   half a small round trip; split evenly between the two
///     per byte               what a large payload adds, split as the two nodes' CPU time grew
///
/// Across two cores, what is left over is waiting:
///
///     handoff                half a round trip of two nodes that poll, less send(0) + receive(0)
///     wake                   a round trip after a rest in which the answering node fell asleep,
///     less
///                            two messages and the handoff of the answer
///
/// `core_b` negative: this machine has one core, and nobody is woken on another.
TransportCost measure_transport(int core_a, int core_b);

}  // namespace foretrain::exec
