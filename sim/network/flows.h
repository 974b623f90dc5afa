// Flows through ports in virtual time: who gets how much, until when.
#pragma once

#include "models/base/time.h"
#include "sim/engine/engine.h"
#include "sim/engine/fetch.h"
#include "sim/network/bundles.h"
#include "sim/network/flow_port.h"
#include "sim/network/region.h"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace foretrain::sim {

/// Who wants to know which port holds a flow back: a plain port alone, or the one of several that
/// is full.
class HoldWatcher {
 public:
  virtual ~HoldWatcher() = default;
  /// From now on.
  virtual void held(std::uint32_t flow, std::uint32_t port, Instant now) = 0;
};

/// Fluid flows that share ports max-min fairly (`fair_share.h` has the equations), solved anew only
/// as far as a change reaches (`region.h`), once an instant.
///
/// A port that holds flows back gives each of them the same rate, its level L(t). So it keeps no
/// rate a flow: it keeps the bytes that any of them has moved since some time, its virtual time
/// (as in fair queueing: Parekh and Gallager 1993)
///
///     V(t) = integral of L,   a flow that joins at t0 with b bytes is done when V(t) = V(t0) + b
///
/// and a queue of those ends. A change of the level moves no entry: an event costs O(log N) among N
/// flows of one port, O(1) where they end in the order in which they began.
///
/// Most ports of a path hold nothing back. A port on which every flow has at most an even share of
/// its rate cannot, and as a token bucket that is full it stays full: it may be idle, and is left
/// out of the equations then. Others are active. A flow that passes several active ports is
/// crossing; it connects their equations, which have the number of each port's other flows,
/// crossing ones in bundles (`bundles.h`). A flow wakes an idle port on its path when its rate
/// comes to exceed an even share there. Every flow passes an active port.
///
/// Called from the engine's thread. Flows and ports are named by number.
class FlowNetwork : public Actor {
 public:
  using PortId = std::uint32_t;
  using FlowId = std::uint32_t;

  FlowNetwork(Engine& engine, std::span<const PortSpec> ports);
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;

  /// One more port.
  PortId add_port(const PortSpec& spec);

  /// Begins a flow of `bytes` (above 0) along `path` (not empty, no port twice). `moved` is woken
  /// when the last byte has left; then the flow ends unless `extend` is called meanwhile.
  FlowId begin(std::span<const PortId> path, double bytes, Callback moved);
  /// Lets a flow that has moved all go on, with `bytes` more. Only while `moved` is woken.
  void extend(FlowId id, double bytes, Callback moved);
  /// Ends a flow that has not moved all; `moved` is not woken. Not while another one's is.
  void break_off(FlowId id);
  /// From now on the port passes `pace` times what it was made to pass, 0 to 1 but not 0; of a
  /// token bucket also what it has saved.
  void set_pace(PortId number, double pace);

  void wake(Instant now, std::uint64_t token) override;

  /// Tells `watcher`, which outlives this, whenever a port comes to hold a flow back.
  void watch(HoldWatcher* watcher) { watcher_ = watcher; }

  /// What the flow moves at, bytes/s; 0 until the instant in which it began is over.
  [[nodiscard]] double rate(FlowId flow) const;
  /// Bytes that it has still to move, as of now.
  [[nodiscard]] double left(FlowId flow) const;
  /// What passes the port, bytes/s, as of the last instant that is over. O(bundles) of one that is
  /// active, else O(flows).
  [[nodiscard]] double load(PortId port) const;
  [[nodiscard]] double capacity(PortId port) const { return ports_[port].capacity; }
  [[nodiscard]] std::size_t ports() const { return ports_.size(); }
  /// Ports solved so far, each as often as it was: what all changes have cost.
  [[nodiscard]] std::uint64_t solved() const { return region_.solved(); }
  /// Under way.
  [[nodiscard]] std::size_t flows() const { return flows_.size() - free_.size(); }

 private:
  static constexpr auto kNone = Bundles::kNone;
  static constexpr double kRounding = 1 + 1e-9;
  static constexpr std::size_t kGaps = 8;  // in a list, beside one for each flow
  using Port = FlowPort;
  struct Hop {
    PortId port;
    std::uint32_t place;  // where in an idle port's list; kNone: not there
  };
  struct alignas(kCacheLine) Flow {
    boost::container::small_vector<Hop, 4> hops;  // those of a star and of two levels of switches
    Callback moved;
    double left = 0;  // bytes, while no port holds it
    double end = 0;   // virtual time of its holder
    std::uint64_t order = 0;
    PortId holder = kNone;
    std::uint32_t active = 0;  // ports on its path
    std::uint32_t epoch = 0;
    bool drained = false;
  };

  void request();
  void solve(Instant now);
  void tighten_idle();
  void solve_region(PortId first, Instant now);
  void hold_bundle(Bundles::Bundle& bundle, PortId holder, Instant now);
  void place_fresh(Instant now);
  void check_bound(PortId number);
  void finish_change(PortId number, Instant now);

  void activate(PortId number);
  void deactivate(PortId number);
  [[nodiscard]] bool is_slack(PortId number) const;
  void bundle(FlowId flow);
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
  Bundles bundles_;  // of the flows that are crossing
  std::vector<FlowId> free_;
  std::vector<FlowId> fresh_;    // began since the last solution
  std::vector<PortId> touched_;  // idle ports with more flows than before
  std::vector<PortId> dirty_;    // active ports to be solved
  std::vector<PortId> changed_;  // solved in this instant
  bool requested_ = false;
  std::uint64_t begun_ = 0;
  std::vector<FlowId> ended_;
  Region region_{ports_, bundles_};
};

}  // namespace foretrain::sim
