// Max-min fair sharing of ports among flows, as a pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrain::sim {

/// Flows that share ports. A flow that passes only one of these ports is counted at that port
/// (`alone`). Flows that pass several are listed in bundles; a bundle holds flows with the same
/// ports.
struct SharedPorts {
  struct Port {
    double capacity = 0;    ///< above 0, bytes/s
    std::size_t alone = 0;  ///< flows that pass no other of these ports
    /// If above 0: the fair rate of the port, whatever its capacity; it stands for flows elsewhere
    /// that are not listed.
    double fair_rate = 0;
  };
  std::vector<Port> ports;
  std::vector<std::uint32_t> hops;        ///< ports of the bundles, those of a bundle together
  std::vector<std::uint32_t> first_hops;  ///< by bundle, index into `hops`
  std::vector<std::size_t> sizes;         ///< by bundle, number of its flows, 1 or more

  void clear();
  void add_bundle(std::span<const std::uint32_t> through, std::size_t flows = 1);
  [[nodiscard]] std::size_t flow_classes() const { return first_hops.size(); }
  [[nodiscard]] std::span<const std::uint32_t> hops_of(std::size_t flow_class) const;
};

/// The result of max-min fairness.
struct FairShares {
  /// By port: the rate in bytes/s of each flow whose bottleneck it is; infinite if it is nobody's
  /// bottleneck.
  std::vector<double> fair_rates;
  /// By bundle: the bottleneck port of its flows.
  std::vector<std::uint32_t> bottlenecks;
};

/// Computes the max-min fair rates of flows that share ports (Bertsekas and Gallager, Data
/// Networks, 6.5.2): no flow can get more without taking from one that has no more than it.
///
///     for every port p:  sum of rate_f over the flows f through p  <=  capacity_p
///     every flow has a bottleneck: a port that is full, and on which no flow is faster than it
///
/// Progressive filling: the port with the smallest remaining capacity per flow without a rate gives
/// these flows that share, its level. Their rates are subtracted at their other ports. This repeats
/// until all flows have a rate. The share of a port only grows meanwhile, so a heap of possibly
/// outdated shares finds the smallest: O((P + H) log P) for P ports with H hops of bundles. A port
/// with a given level has that as its share.
///
/// Realism: long TCP flows with equal round-trip times share approximately like this; no loss.
class FairShareSolver {
 public:
  void solve(const SharedPorts& shared, FairShares& shares);

 private:
  struct Candidate {
    double share;
    std::uint32_t port;
  };

  std::vector<double> left_;
  std::vector<std::size_t> waiting_;         // by port, its flows without a rate
  std::vector<std::uint32_t> first_;         // by port, index into bundles_
  std::vector<std::uint32_t> next_;          // by port, index into bundles_
  std::vector<std::uint32_t> flow_classes_;  // bundles of the ports, those of a port together
  std::vector<Candidate> heap_;
};

}  // namespace foretrain::sim
