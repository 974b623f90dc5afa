// The cost of a message, measured by two nodes that send one to the other in turn.
#pragma once

#include "exec/emulation/hosts.h"
#include "models/base/quantity.h"
#include "scenarios/machine.h"

namespace foretrain::exec {

/// How the message goes to and fro.
struct PingPong {
  Bytes payload{};       ///< there; the answer is empty
  int rounds = 0;        ///< that count, after some that do not
  Duration rest{};       ///< of the caller between two rounds
  bool polling = false;  ///< as a run does it; else both sleep while they wait
  Duration compute{};    ///< of the caller before it sends, over more memory than its core's own
                         ///< caches hold, as a gradient does
  bool crowded = false;  ///< another process computes on the core of the node that answers
};

/// A round trip.
struct RoundTrip {
  double time_s = 0;        ///< median
  double cpu_caller_s = 0;  ///< of the node that sends the payload, a round in the mean, without
                            ///< what it computed
  double cpu_echo_s = 0;    ///< of the node that answers, likewise
};

/// Over TCP, by the driver and the transport that a run uses, each node in a process of its own on
/// the given core: the caller on the first of `hosts`, the one that answers on the last.
RoundTrip measure_round_trip(int caller_core, int echo_core, const PingPong& setting,
                             const Hosts& hosts);

/// On one core, where nothing overlaps, a round trip is the CPU time of two messages. The caller
/// has computed, as a worker that pushes a gradient and pulls parameters; without, a round trip of
/// a small model takes half as long as in a training:
///
///     send(0) + receive(0)   half a small round trip; split evenly between the two. No more than
///                            half of one between two nodes that poll, who need not be switched to
///     per byte               what a large payload adds, on emulated hosts, where the link takes
///                            time too, what it adds to the CPU time of both; split between the two
///                            as their CPU time grows where each has a core of its own
///
/// Across two cores, what is left over is waiting:
///
///     handoff                half a round trip of two nodes that poll, less send(0) + receive(0)
///     wake                   a round trip after a rest in which the answering node fell asleep,
///                            less two messages and the handoff of the answer
///     preempt                the same, where another process computes on its core
///
/// `core_b` negative: this machine has one core, and nobody is woken on another.
TransportCost measure_transport(int core_a, int core_b, const Hosts& hosts);

}  // namespace foretrain::exec
