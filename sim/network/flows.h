// Flows through ports in virtual time: their max-min fair rates, their ends.
//
//              port A, 10 GB/s     port B, 4 GB/s
//               +-----------+       +-----------+
//     flow 1 ---|---------->|       |           |      8 GB/s, bottleneck A
//     flow 2 ---|-----------|-------|---------->|      2 GB/s, bottleneck B
//     flow 3    |           |    ---|---------->|      2 GB/s, bottleneck B
//               +-----------+       +-----------+
//
// Port B has the smallest even share, 4 / 2, which limits flows 2 and 3. Flow 1 gets the rest of A.
#pragma once

#include "models/base/time.h"
#include "sim/engine/engine.h"
#include "sim/engine/fetch.h"
#include "sim/network/affected_component.h"
#include "sim/network/flow_classes.h"
#include "sim/network/flow_port.h"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace foretrain::sim {

/// Interface for an observer of bottlenecks. A flow's bottleneck is its only active port, or the
/// full one of several.
class HoldWatcher {
 public:
  virtual ~HoldWatcher() = default;
  /// From now on `port` is the bottleneck of `flow`.
  virtual void bottlenecked(std::uint32_t flow, std::uint32_t port, Instant now) = 0;
};

/// Fluid flows that share ports max-min fairly (`fair_share.h` has the equations). Once per instant
/// the rates are solved anew, but only as far as a change reaches (`component.h`).
///
/// A port gives all flows whose bottleneck it is the same rate, its level L(t). So no rate is
/// stored per flow. The port stores the bytes that each of them has moved since a reference time,
/// its virtual time (as in fair queueing: Parekh and Gallager 1993)
///
///     V(t) = integral of L,   a flow that joins at t0 with b bytes ends when V(t) = V(t0) + b
///
/// and a queue of these ends. A change of the level moves no entry: an event costs O(log N) among N
/// flows of one port, O(1) if they end in the order in which they began.
///
/// Most ports of a path limit no flow. A port on which every flow has at most an even share of its
/// rate cannot limit any, and if it is a full token bucket it stays full: such a port may be idle,
/// and is then left out of the equations. All other ports are active: they may be bottlenecks. A
/// flow is crossing if it passes several active ports. It connects their equations, in which
/// crossing flows appear in bundles (`flow_classes.h`) and all others as a number per port. A flow
/// activates an idle port on its path if its rate exceeds an even share there. Every flow passes an
/// active port.
///
/// Called from the engine's thread. Flows and ports are identified by numbers.
class FlowNetwork : public Actor {
 public:
  using PortId = std::uint32_t;
  using FlowId = std::uint32_t;

  FlowNetwork(Engine& engine, std::span<const PortSpec> ports);
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;

  /// Adds a port.
  PortId add_port(const PortSpec& spec);

  /// Begins a flow of `bytes` (above 0) along `path` (not empty, no port twice). `moved` is woken
  /// when the last byte has left; the flow then ends unless `extend` is called meanwhile.
  FlowId begin(std::span<const PortId> path, double bytes, Callback moved);
  /// Continues a flow that has moved all its bytes. Only while its `moved` is woken.
  void extend(FlowId id, double bytes, Callback moved);
  /// Ends a flow that has bytes left; its `moved` is not woken. Not while the `moved` of another
  /// flow is woken.
  void break_off(FlowId id);
  /// From now on the port passes `rate_factor` times its original rate, above 0 and up to 1. This
  /// also scales the burst rate of a token bucket.
  void set_rate_factor(PortId number, double rate_factor);

  void wake(Instant now, std::uint64_t token) override;

  /// Calls `watcher`, which outlives this, whenever a port becomes the bottleneck of a flow.
  void watch(HoldWatcher* watcher) { watcher_ = watcher; }

  /// Rate of the flow, bytes/s; 0 until the end of the instant in which it began.
  [[nodiscard]] double rate(FlowId flow) const;
  /// Bytes that the flow has still to move, as of now.
  [[nodiscard]] double left(FlowId flow) const;
  /// Traffic through the port, bytes/s, as of the last completed instant. O(bundles) for an active
  /// port, else O(flows).
  [[nodiscard]] double load(PortId port) const;
  [[nodiscard]] double capacity(PortId port) const { return ports_[port].capacity; }
  [[nodiscard]] std::size_t ports() const { return ports_.size(); }
  /// Number of ports solved so far, each counted as often as it was solved: the cost of all
  /// changes.
  [[nodiscard]] std::uint64_t solved() const { return component_.solved(); }
  /// Number of flows that have not ended.
  [[nodiscard]] std::size_t flows() const { return flows_.size() - free_.size(); }

 private:
  static constexpr auto kNone = FlowClasses::kNone;
  static constexpr double kRounding = 1 + 1e-9;
  static constexpr std::size_t kGaps = 8;  // gaps allowed in a list, in addition to one per flow
  using Port = FlowPort;
  struct Hop {
    PortId port;
    std::uint32_t place;  // index in an idle port's list; kNone if it is not there
  };
  struct alignas(kCacheLine) Flow {
    boost::container::small_vector<Hop, 4> hops;  // enough for a star and two levels of switches
    Callback moved;
    double left = 0;  // bytes, while it has no bottleneck
    double end = 0;   // virtual time of its bottleneck port
    std::uint64_t order = 0;
    PortId bottleneck = kNone;
    std::uint32_t active = 0;  // active ports on its path
    std::uint32_t epoch = 0;
    bool drained = false;
  };

  void request();
  void solve(Instant now);
  void tighten_idle();
  void solve_component(PortId first, Instant now);
  void hold_flow_class(FlowClasses::FlowClass& flow_class, PortId bottleneck, Instant now);
  void place_fresh(Instant now);
  void check_bound(PortId number);
  void finish_change(PortId number, Instant now);

  void activate(PortId number);
  void deactivate(PortId number);
  [[nodiscard]] bool is_slack(PortId number) const;
  void flow_class(FlowId flow);
  void list(FlowId flow, Hop& hop);
  void unlist(Hop& hop);
  void close_gaps(PortId number);
  void mark_dirty(PortId number);
  void mark_changed(PortId number);

  void hold(FlowId id, PortId number, Instant now);
  void release(FlowId id, Instant now);
  void look_ahead(std::span<const FlowId> flows) const;
  void remove(FlowId id);
  void plan(PortId number, Instant now);
  void end_flows(PortId number, Instant now);

  Engine& engine_;
  HoldWatcher* watcher_ = nullptr;
  std::vector<Port> ports_;
  std::vector<Flow> flows_;
  FlowClasses flow_classes_;  // the crossing flows
  std::vector<FlowId> free_;
  std::vector<FlowId> fresh_;    // began since the last solution
  std::vector<PortId> touched_;  // idle ports with more flows than before
  std::vector<PortId> dirty_;    // active ports to be solved
  std::vector<PortId> changed_;  // solved in this instant
  bool requested_ = false;
  std::uint64_t begun_ = 0;
  std::vector<FlowId> ended_;
  AffectedComponent component_{ports_, flow_classes_};
};

}  // namespace foretrain::sim
