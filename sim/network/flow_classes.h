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
class FlowClasses {
 public:
  using PortId = std::uint32_t;
  using FlowId = std::uint32_t;
  using FlowClassId = std::uint32_t;

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Hop {
    PortId port;
    std::uint32_t place;  ///< index in the port's list
  };
  struct FlowClass {
    boost::container::small_vector<Hop, 4> hops;
    std::vector<FlowId> flows;
    /// For the solver of the equations: the bottleneck port of the flows; whether some of them may
    /// have another bottleneck; the last search that visited the bundle.
    PortId bottleneck = kNone;
    bool mixed = false;
    std::uint64_t visited = 0;
  };
  /// An entry of a port's list.
  struct Listed {
    std::uint32_t kind;  ///< hash of the bundle's ports
    FlowClassId flow_class;
  };

  void add_port() { ports_.emplace_back(); }
  /// Adds a flow that is in no bundle to a bundle with exactly these `ports`, two or more.
  FlowClass& join(FlowId flow, std::span<const PortId> ports);
  /// Removes the flow from its bundle, if it is in one.
  void leave(FlowId flow);

  [[nodiscard]] bool contains(FlowId flow) const {
    return flow < places_.size() && places_[flow].flow_class != kNone;
  }
  /// The bundle of the flow.
  [[nodiscard]] const FlowClass& of(FlowId flow) const {
    return flow_classes_[places_[flow].flow_class];
  }
  [[nodiscard]] FlowClass& operator[](FlowClassId flow_class) { return flow_classes_[flow_class]; }
  [[nodiscard]] const FlowClass& operator[](FlowClassId flow_class) const {
    return flow_classes_[flow_class];
  }
  /// The bundles at a port; valid until the next call that changes a bundle.
  [[nodiscard]] std::span<const Listed> at(PortId port) const { return ports_[port].flow_classes; }
  /// Number of flows in the bundles of the port.
  [[nodiscard]] std::uint32_t flows_at(PortId port) const { return ports_[port].flows; }

 private:
  static constexpr std::size_t kLooked = 32;  // four cache lines

  struct Port {
    std::vector<Listed> flow_classes;
    std::uint32_t flows = 0;
  };
  struct Place {
    FlowClassId flow_class = kNone;
    std::uint32_t index = 0;  // index in the bundle's flows
  };

  [[nodiscard]] FlowClassId find(std::span<const PortId> ports, std::uint32_t kind) const;
  FlowClassId make(std::span<const PortId> ports, std::uint32_t kind);
  void drop(FlowClassId flow_class);

  std::vector<Port> ports_;
  std::vector<FlowClass> flow_classes_;
  std::vector<FlowClassId> free_;
  std::vector<Place> places_;  // by flow
};

}  // namespace foretrain::sim
