// Hosts that do the same at the same time, of which a simulation runs one.
#pragma once

#include "models/protocol/message.h"
#include "models/protocol/training.h"
#include "scenarios/resolve/prepared.h"

#include <cstdint>
#include <optional>

namespace foretrain::sim {

/// Workers 0 .. N-1 on H alike hosts at one switch, d to a host, sum up among themselves. Let t add
/// d to the number of a worker and of a bucket's owner, modulo N. Then t maps the whole system onto
/// itself:
///
///     hosts     have equal cores, devices, links; a star joins each to each alike
///     workers   begin together in equal states, and compute equally long
///     routes    depend on differences of numbers: owner - worker (route.h)
///     buckets   those of a collective leave together, as many for each owner, equally long
///     order     each connection carries messages in the order of their collectives, and in each
///               by the distance from the owner (collective_turns.h), not by number
///
/// So what host h does is what host 0 does with all numbers shifted by h d, at the same time: this
/// holds at the start, and each event preserves it. (States that a symmetry maps onto each other
/// have equal futures: Emerson, Sistla, Symmetry and Model Checking, Formal Methods in System
/// Design 9, 1996.) A simulation of host 0 is therefore exact if what it sends to host h is
/// received by itself, from the host as far behind as h is ahead:
///
///     worker w sends bucket b to worker u      u = v + h d, v on host 0
///     worker v receives t^-h(b) from t^-h(w)
///
/// Over a hypercube t is XOR with a multiple of d, a power of two; routes depend on owner XOR
/// worker, and a connection has one message of a collective at a time.
///
/// All connections of host 0 to other hosts leave by its port and arrive by it: in the whole system
/// as many arrive at each port as leave it. Groups of workers that sum first are within a host.
///
/// The symmetry is broken, and nothing folded, by whatever tells workers apart: a draw (stragglers,
/// jitter), a fault, an evaluation or a checkpoint on the way, a session host, unlike hosts, trees,
/// several switches, a root, servers, groups of several hosts, buckets of unequal length. So
/// profiles with `bucket_rule: ddp` are folded, whose buckets are padded (make_ddp_layout). Threads
/// that share a core take turns at the same instant in an order that differs from host to host;
/// they are not folded either.
class Fold {
 public:
  /// The fold of a case; empty if it is not known to be symmetric.
  static std::optional<Fold> of(const Prepared& prepared);

  [[nodiscard]] int workers() const { return each_; }       ///< simulated
  [[nodiscard]] int hosts() const { return all_ / each_; }  ///< simulated or not

  /// The simulated worker that stands for `worker`.
  [[nodiscard]] NodeId image(NodeId worker) const {
    return NodeId{index_of(worker) % static_cast<std::uint32_t>(each_)};
  }
  /// Shifts a message from `from` to `to` so that it goes to the image of `to`.
  void shift(NodeId& from, NodeId& to, Message& message) const;

 private:
  Fold(int all, int each, bool hypercube) : all_(all), each_(each), hypercube_(hypercube) {}

  int all_;   // workers
  int each_;  // of a host
  bool hypercube_;
};

}  // namespace foretrain::sim
