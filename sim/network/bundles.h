// Flows that pass the same ports, counted as one in the equations of fair shares.
#pragma once

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace foretrain::sim {

/// Two flows that pass the same active ports have the same rate (`fair_share.h`), so the equations
/// need their number alone: among 10,000 senders behind four uplinks there are four kinds. A bundle
/// is flows of one kind, and lies at each of its ports. Two bundles may be of one kind: `join`
/// looks at no more than kLooked of a port's, so that a flow costs O(1) where all kinds differ.
///
/// Flows, ports and bundles are named by number. A flow is in one bundle at most.
class Bundles {
 public:
  using PortId = std::uint32_t;
  using FlowId = std::uint32_t;
  using BundleId = std::uint32_t;

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Hop {
    PortId port;
    std::uint32_t place;  ///< in the port's list
  };
  struct Bundle {
    boost::container::small_vector<Hop, 4> hops;
    std::vector<FlowId> flows;
    /// For whoever solves the equations: the port that holds the flows back, whether it may be
    /// another one for some of them, by which search it was found.
    PortId holder = kNone;
    bool mixed = false;
    std::uint64_t visited = 0;
  };
  /// A bundle at a port.
  struct Listed {
    std::uint32_t kind;  ///< a hash of its ports
    BundleId bundle;
  };

  void add_port() { ports_.emplace_back(); }
  /// Puts a flow that is in none into a bundle of those that pass just `ports`, two or more.
  Bundle& join(FlowId flow, std::span<const PortId> ports);
  /// Takes it out again, where it is in one.
  void leave(FlowId flow);

  [[nodiscard]] bool contains(FlowId flow) const {
    return flow < places_.size() && places_[flow].bundle != kNone;
  }
  /// The one that the flow is in.
  [[nodiscard]] const Bundle& of(FlowId flow) const { return bundles_[places_[flow].bundle]; }
  [[nodiscard]] Bundle& operator[](BundleId bundle) { return bundles_[bundle]; }
  [[nodiscard]] const Bundle& operator[](BundleId bundle) const { return bundles_[bundle]; }
  /// Those at a port; valid until the next call that changes one.
  [[nodiscard]] std::span<const Listed> at(PortId port) const { return ports_[port].bundles; }
  /// Flows in them.
  [[nodiscard]] std::uint32_t flows_at(PortId port) const { return ports_[port].flows; }

 private:
  static constexpr std::size_t kLooked = 32;  // four lines of a cache

  struct Port {
    std::vector<Listed> bundles;
    std::uint32_t flows = 0;
  };
  struct Place {
    BundleId bundle = kNone;
    std::uint32_t index = 0;  // in its flows
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
