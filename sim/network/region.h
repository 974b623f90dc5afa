// The part of a network that a change reaches: ports that are solved together.
#pragma once

#include "sim/network/bundles.h"
#include "sim/network/fair_share.h"
#include "sim/network/flow_port.h"

#include <cstdint>
#include <span>
#include <vector>

namespace foretrain::sim {

/// Active ports whose equations are solved anew, while all others keep what they have. Bundles
/// connect most ports of a large network, but a change seldom reaches far: what one flow leaves,
/// its neighbours on the next port take.
///
/// A region begins with a port that has changed and with all such ports that bundles connect to it.
/// A bundle through the region that a port outside holds back gets no more than that port's level:
/// the port stands in the equations as one with a given level. Then each bundle whose rate comes
/// out otherwise than it was takes all of its ports into the region, which is solved again.
///
/// Where no such bundle is left, all rates are max-min fair. Ports outside carry what they carried,
/// so none is over its capacity; a bundle that one of them holds still has its bottleneck there,
/// any other one has it in the region.
///
/// What keeps growing takes all ports that bundles connect with it.
class Region {
 public:
  using PortId = Bundles::PortId;
  using BundleId = Bundles::BundleId;

  /// Of `ports` with `bundles`, which both outlive it.
  Region(std::vector<FlowPort>& ports, Bundles& bundles) : all_(ports), bundles_(bundles) {}

  /// Solves the region of an active port. Its ports are settled, not dirty any more, token buckets
  /// among them have the capacity of `now`; levels and holders are still those from before.
  void solve(PortId first, Instant now);

  /// Its ports, what each gives those that it holds back: bytes/s, infinite where it holds none.
  [[nodiscard]] std::span<const PortId> ports() const { return ports_; }
  [[nodiscard]] double level(std::size_t port) const { return shares_.levels[port]; }
  /// The bundles through them, the port that is to hold each back: the one that does, if it may.
  [[nodiscard]] std::span<const BundleId> bundles() const { return crossing_; }
  [[nodiscard]] PortId holder(std::size_t bundle) const;

  /// Ports solved so far, each as often as it was: what all changes have cost.
  [[nodiscard]] std::uint64_t solved() const { return solved_; }

 private:
  [[nodiscard]] bool inside(PortId port) const { return all_[port].visited == region_; }
  [[nodiscard]] double level_now(PortId port) const;
  [[nodiscard]] bool keeps_rate(std::size_t bundle) const;
  void take(PortId port);
  void take_ports_of(BundleId bundle);
  void grow(Instant now, bool whole);
  bool widen(bool whole);
  void write_equations();

  std::vector<FlowPort>& all_;
  Bundles& bundles_;
  std::uint64_t search_ = 0;  // numbers regions, borders
  std::uint64_t region_ = 0;
  std::uint64_t solved_ = 0;
  std::vector<PortId> ports_;
  std::size_t grown_ = 0;  // of them have their bundles in crossing_
  std::vector<BundleId> crossing_;
  SharedPorts shared_;
  FairShares shares_;
  FairShareSolver solver_;
};

}  // namespace foretrain::sim
