// The part of a network that a change affects, whose ports are solved together.
#pragma once

#include "sim/network/fair_share.h"
#include "sim/network/flow_classes.h"
#include "sim/network/flow_port.h"

#include <cstdint>
#include <span>
#include <vector>

namespace foretrain::sim {

/// The active ports whose equations are solved anew, while all others keep their rates. FlowClasses
/// connect most ports of a large network, but a change seldom reaches far: what one flow releases,
/// the other flows of the next port take.
///
/// A region begins with a changed port and with all changed ports that bundles connect to it. A
/// bundle through the region whose bottleneck lies outside gets no more than that port's level: the
/// port appears in the equations with a given level. If the rate of a bundle differs from its old
/// one, all of its ports join the region, which is solved again.
///
/// When no bundle changes its rate any more, all rates are max-min fair. Ports outside carry what
/// they carried, so none exceeds its capacity. A bundle with a bottleneck outside still has it; any
/// other bundle has its bottleneck in the region.
///
/// A region that keeps growing finally takes all ports that bundles connect to it.
class AffectedComponent {
 public:
  using PortId = FlowClasses::PortId;
  using FlowClassId = FlowClasses::FlowClassId;

  /// `ports` and `flow_classes` outlive this.
  AffectedComponent(std::vector<FlowPort>& ports, FlowClasses& flow_classes)
      : all_(ports), flow_classes_(flow_classes) {}

  /// Solves the region of an active port. Afterwards its ports are settled and no longer dirty, and
  /// its token buckets have the capacity of `now`; levels and holders are still the old ones.
  void solve(PortId first, Instant now);

  /// The ports of the region, and the new level of each: bytes/s, infinite if it limits no flow.
  [[nodiscard]] std::span<const PortId> ports() const { return ports_; }
  [[nodiscard]] double fair_rate(std::size_t port) const { return shares_.fair_rates[port]; }
  /// The bundles through these ports, and the new bottleneck of each: the old one if that is still
  /// possible.
  [[nodiscard]] std::span<const FlowClassId> flow_classes() const { return crossing_; }
  [[nodiscard]] PortId bottleneck(std::size_t flow_class) const;

  /// Number of ports solved so far, each counted as often as it was solved.
  [[nodiscard]] std::uint64_t solved() const { return solved_; }

 private:
  [[nodiscard]] bool inside(PortId port) const { return all_[port].visited == component_; }
  [[nodiscard]] double fair_rate_now(PortId port) const;
  [[nodiscard]] bool keeps_rate(std::size_t flow_class) const;
  void take(PortId port);
  void take_ports_of(FlowClassId flow_class);
  void grow(Instant now, bool whole);
  bool widen(bool whole);
  void write_equations();

  std::vector<FlowPort>& all_;
  FlowClasses& flow_classes_;
  std::uint64_t search_ = 0;  // numbers regions and borders
  std::uint64_t component_ = 0;
  std::uint64_t solved_ = 0;
  std::vector<PortId> ports_;
  std::size_t grown_ = 0;  // of ports_: these have their bundles in crossing_
  std::vector<FlowClassId> crossing_;
  SharedPorts shared_;
  FairShares shares_;
  FairShareSolver solver_;
};

}  // namespace foretrain::sim
