// Hosts that do the same at the same time, of which a simulation runs some.
#pragma once

#include "models/protocol/message.h"
#include "models/protocol/training.h"
#include "scenarios/resolve/prepared.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace foretrain::sim {

/// Workers 0 .. N-1 on alike hosts, d to a host, sum up among themselves. A unit is as many hosts
/// as have equal places in the network: one at a single switch, those of a leaf below a single
/// spine. Let t add the D workers of a unit to the number of a worker and of a bucket's owner,
/// modulo N. Then t maps the whole system onto itself:
///
///     hosts     have equal cores, devices, links; each unit is joined to each alike
///     workers   begin together in equal states, and compute equally long
///     routes    depend on differences of numbers: owner - worker (route.h)
///     buckets   those of a collective leave together, as many for each owner, equally long
///     order     each connection carries messages in the order of their collectives, and in each
///               by the distance from the owner (collective_turns.h), not by number
///
/// So what unit u does is what unit 0 does with all numbers shifted by u D, at the same time: this
/// holds at the start, and each event preserves it. (States that a symmetry maps onto each other
/// have equal futures: Emerson, Sistla, Symmetry and Model Checking, Formal Methods in System
/// Design 9, 1996.) A simulation of unit 0 is therefore exact if what it sends to unit k is
/// received by itself, from the unit as far behind as k is ahead:
///
///     worker w sends bucket b to worker u      u = v + k D, v in unit 0
///     worker v receives t^-k(b) from t^-k(w)
///
/// Over a hypercube t is XOR with a multiple of D, a power of two; routes depend on owner XOR
/// worker, and a connection has one message of a collective at a time.
///
/// All connections of unit 0 to other units leave by its ports and arrive by them: in the whole
/// system as many arrive at each port as leave it. Groups of workers that sum first are within a
/// host.
///
/// The symmetry is broken, and nothing folded, by whatever tells workers apart: a draw (stragglers,
/// jitter), a fault, an evaluation or a checkpoint on the way, a session host, unlike hosts, trees,
/// several spines, a leaf that is not full of workers, listed links, a root, servers, groups of
/// several hosts, buckets of unequal length. So profiles with `bucket_rule: ddp` are folded, whose
/// buckets are padded (make_ddp_layout). Threads that share a core take turns at the same instant
/// in an order that differs from host to host; they are not folded either.
class Fold {
 public:
  /// The fold of a case; empty if it is not known to be symmetric.
  static std::optional<Fold> of(const Prepared& prepared);

  [[nodiscard]] int workers() const { return each_; }           ///< simulated
  [[nodiscard]] int simulated_hosts() const { return hosts_; }  ///< with these workers
  [[nodiscard]] int hosts() const { return all_ / each_ * hosts_; }

  /// The simulated worker that stands for `worker`.
  [[nodiscard]] NodeId image(NodeId worker) const {
    return NodeId{index_of(worker) % static_cast<std::uint32_t>(each_)};
  }
  /// The host of any worker.
  [[nodiscard]] std::size_t host_of(NodeId worker) const {
    return index_of(worker) / static_cast<std::size_t>(each_ / hosts_);
  }
  /// Shifts a message from `from` to `to` so that it goes to the image of `to`.
  void shift(NodeId& from, NodeId& to, Message& message) const;

 private:
  Fold(int all, int each, int hosts, bool hypercube)
      : all_(all), each_(each), hosts_(hosts), hypercube_(hypercube) {}

  int all_;    // workers
  int each_;   // of a unit
  int hosts_;  // of a unit
  bool hypercube_;
};

}  // namespace foretrain::sim
