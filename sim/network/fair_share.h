// Max-min fair sharing of ports among flows, as a pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrain::sim {

/// Flows that share ports. A flow that passes one of these ports only is counted there; those that
/// pass several are listed with them, flows of the same ports as one bundle.
struct SharedPorts {
  struct Port {
    double capacity = 0;    ///< above 0, bytes/s
    std::size_t alone = 0;  ///< flows that pass no other of these ports
    /// Above 0: what the port gives each flow that it holds back, whatever its capacity; it stands
    /// for flows elsewhere that are not listed.
    double level = 0;
  };
  std::vector<Port> ports;
  std::vector<std::uint32_t> hops;        ///< the ports of the bundles, one bundle's together
  std::vector<std::uint32_t> first_hops;  ///< by bundle, into `hops`
  std::vector<std::size_t> sizes;         ///< by bundle, its flows, 1 or more

  void clear();
  void add_bundle(std::span<const std::uint32_t> through, std::size_t flows = 1);
  [[nodiscard]] std::size_t bundles() const { return first_hops.size(); }
  [[nodiscard]] std::span<const std::uint32_t> hops_of(std::size_t bundle) const;
};

/// What max-min fairness gives.
struct FairShares {
  /// By port: the rate, bytes/s, of each flow that this port holds back; infinite where it holds
  /// none.
  std::vector<double> levels;
  /// By bundle: the port that holds its flows back.
  std::vector<std::uint32_t> holders;
};

/// The rates at which flows share ports max-min fairly (Bertsekas and Gallager, Data Networks,
/// 6.5.2): no flow can be given more without taking from one that has no more than it.
///
///     for every port p:  sum of rate_f over the flows f through p  <=  capacity_p
///     every flow has a bottleneck: a port that is full, and on which no flow is faster than it
///
/// Found by filling: the port with the least capacity left for each of its flows without a rate
/// gives them that share, its level; what they take elsewhere is taken off; again until all flows
/// have a rate. A port's share only grows meanwhile, so a heap of shares that may be out of date
/// finds the least: O((P + H) log P) for P ports with H hops of bundles. A port with a given level
/// has that as its share.
///
/// Realism: long TCP flows of equal round trip share about like this; no loss.
class FairShareSolver {
 public:
  void solve(const SharedPorts& shared, FairShares& shares);

 private:
  struct Candidate {
    double share;
    std::uint32_t port;
  };

  std::vector<double> left_;
  std::vector<std::size_t> waiting_;    // flows through a port without a rate
  std::vector<std::uint32_t> first_;    // by port, into bundles_
  std::vector<std::uint32_t> next_;     // by port, likewise
  std::vector<std::uint32_t> bundles_;  // of a port, one port's together
  std::vector<Candidate> heap_;
};

}  // namespace foretrain::sim
