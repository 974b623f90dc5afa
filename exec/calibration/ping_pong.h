// Round trips of messages between two nodes.
#pragma once

#include "exec/emulation/hosts.h"
#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain::exec {

/// Settings of the exchange.
struct PingPong {
  Bytes payload{};       ///< of the message; the answer is empty
  int rounds = 0;        ///< counted rounds, after half as many uncounted ones
  Duration rest{};       ///< pause of the caller between two rounds
  bool polling = false;  ///< as in a run; else both sleep while they wait
  Duration compute{};    ///< compute time of the caller before it sends, over more memory than its
                         ///< core's own caches hold, like a gradient
  Bytes walked{};  ///< memory that both walk over before each message, so that no cache holds the
                   ///< message
  bool crowded = false;    ///< another process computes on the answering node's core
  bool encrypted = false;  ///< as with `run --tls`
};

/// Result of a round trip.
struct RoundTrip {
  double time_s = 0;        ///< median
  double cpu_caller_s = 0;  ///< mean CPU time per round of the sending node, without its computing
  double cpu_echo_s = 0;    ///< the same for the node that answers
};

/// Measures over TCP, with the driver and transport of a run, each node in a separate process on
/// the given core: the caller on the first of `hosts`, the answering node on the last.
RoundTrip measure_round_trip(int caller_core, int echo_core, const PingPong& setting,
                             const Hosts& hosts);

}  // namespace foretrain::exec
