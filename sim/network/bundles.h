// Classes of flows that pass the same ports, for the equations of fair shares.
#pragma once

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace foretrain::sim {

/// Two flows that pass the same active ports have the same rate (`fair_share.h`), so the equations
/// need only their number: 10,000 senders behind four uplinks form four classes. A bundle is such a
/// flow class, and each of its ports lists it. Two bundles may have the same ports: `join` looks at
/// no more than kLooked bundles of a port, so that adding a flow costs O(1) even if all flows
/// differ.
///
/// Flows, ports and bundles are identified by numbers. A flow is in one bundle at most.
class Bundles {
 public:
  using PortId = std::uint32_t;
  using FlowId = std::uint32_t;
  using BundleId = std::uint32_t;

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Hop {
    PortId port;
    std::uint32_t place;  ///< index in the port's list
  };
  struct Bundle {
    boost::container::small_vector<Hop, 4> hops;
    std::vector<FlowId> flows;
    /// For the solver of the equations: the bottleneck port of the flows; whether some of them may
    /// have another bottleneck; the last search that visited the bundle.
    PortId holder = kNone;
    bool mixed = false;
    std::uint64_t visited = 0;
  };
  /// An entry of a port's list.
  struct Listed {
    std::uint32_t kind;  ///< hash of the bundle's ports
    BundleId bundle;
  };

  void add_port() { ports_.emplace_back(); }
  /// Adds a flow that is in no bundle to a bundle with exactly these `ports`, two or more.
  Bundle& join(FlowId flow, std::span<const PortId> ports);
  /// Removes the flow from its bundle, if it is in one.
  void leave(FlowId flow);

  [[nodiscard]] bool contains(FlowId flow) const {
    return flow < places_.size() && places_[flow].bundle != kNone;
  }
  /// The bundle of the flow.
  [[nodiscard]] const Bundle& of(FlowId flow) const { return bundles_[places_[flow].bundle]; }
  [[nodiscard]] Bundle& operator[](BundleId bundle) { return bundles_[bundle]; }
  [[nodiscard]] const Bundle& operator[](BundleId bundle) const { return bundles_[bundle]; }
  /// The bundles at a port; valid until the next call that changes a bundle.
  [[nodiscard]] std::span<const Listed> at(PortId port) const { return ports_[port].bundles; }
  /// Number of flows in the bundles of the port.
  [[nodiscard]] std::uint32_t flows_at(PortId port) const { return ports_[port].flows; }

 private:
  static constexpr std::size_t kLooked = 32;  // four cache lines

  struct Port {
    std::vector<Listed> bundles;
    std::uint32_t flows = 0;
  };
  struct Place {
    BundleId bundle = kNone;
    std::uint32_t index = 0;  // index in the bundle's flows
  };

  [[nodiscard]] BundleId find(std::span<const PortId> ports, std::uint32_t kind) const;
  BundleId make(std::span<const PortId> ports, std::uint32_t kind);
  void drop(BundleId bundle);

  std::vector<Port> ports_;
  std::vector<Bundle> bundles_;
  std::vector<BundleId> free_;
  std::vector<Place> places_;  // by flow
};

}  // namespace foretrain::sim
