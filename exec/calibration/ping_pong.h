// Round trips of a message between two nodes, which send one to the other in turn.
#pragma once

#include "exec/emulation/hosts.h"
#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain::exec {

/// How the message goes to and fro.
struct PingPong {
  Bytes payload{};         ///< there; the answer is empty
  int rounds = 0;          ///< that count, after half as many that do not
  Duration rest{};         ///< of the caller between two rounds
  bool polling = false;    ///< as a run does it; else both sleep while they wait
  Duration compute{};      ///< of the caller before it sends, over more memory than its core's own
                           ///< caches hold, as a gradient does
  Bytes walked{};          ///< of both, each time before they send: what no cache holds then
  bool crowded = false;    ///< another process computes on the core of the node that answers
  bool encrypted = false;  ///< as with `run --tls`
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

}  // namespace foretrain::exec
