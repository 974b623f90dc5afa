// Flows through ports in virtual time: who gets how much, until when.
#pragma once

#include "models/base/time.h"
#include "sim/engine/engine.h"
#include "sim/network/bundles.h"
#include "sim/network/fair_share.h"
#include "sim/network/port.h"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
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
/// where something changed, once an instant.
///
/// A port that holds flows back gives each of them the same rate, its level L(t). So it keeps no
/// rate a flow: it keeps the bytes that any of them has moved since some time, its virtual time
/// (as in fair queueing: Parekh and Gallager 1993)
///
///     V(t) = integral of L,   a flow that joins at t0 with b bytes is done when V(t) = V(t0) + b
///
/// and a heap of those ends. A change of the level moves no entry: an event costs O(log N) among N
/// flows of one port.
///
/// Most ports of a path hold nothing back. A port on which every flow has at most an even share of
/// its capacity cannot: it is idle, and left out of the equations. Others are active. A flow that
/// passes several active ports is crossing; active ports that crossing flows connect are solved
/// together, each with the number of its other flows, crossing ones in bundles (`bundles.h`). A
/// flow wakes an idle port on its path when its rate comes to exceed an even share there. Every
/// flow passes an active port.
///
/// Called from the engine's thread. Flows and ports are named by number.
class FlowNetwork : public Actor {
 public:
  using PortId = std::uint32_t;
  using FlowId = std::uint32_t;

  FlowNetwork(Engine& engine, std::span<const PortSpec> ports);

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
  /// What passes the port, bytes/s. O(flows).
  [[nodiscard]] double load(PortId port) const;
  [[nodiscard]] double capacity(PortId port) const { return ports_[port].capacity; }
  [[nodiscard]] std::size_t ports() const { return ports_.size(); }
  /// Under way.
  [[nodiscard]] std::size_t flows() const { return flows_.size() - free_.size(); }

 private:
  static constexpr auto kNone = Bundles::kNone;
  static constexpr double kRounding = 1 + 1e-9;
  static constexpr Instant kNever{std::numeric_limits<std::int64_t>::max()};

  /// A flow that a port holds back, by the virtual time of its end.
  struct Held {
    double end;
    std::uint64_t order;  // in which the flows began: those that end together end so, too
    FlowId flow;
    std::uint32_t epoch;  // of the flow, when it was held; another one: no longer held here

    static bool later(const Held& a, const Held& b) {
      return a.end != b.end ? a.end > b.end : a.order > b.order;
    }
  };
  struct Port {
    PortSpec spec;
    double full_rate = 0;  // spec.rate at pace 1
    double pace = 1;
    double capacity = 0;                                     // now
    double level = 0;                                        // bytes/s
    double served = 0;                                       // V, bytes
    double bound = std::numeric_limits<double>::infinity();  // least even share of an idle port on
                                                             // the paths of what it holds, or less
    Instant settled;                                         // `served`, `tokens` are as of then
    double tokens = 0;
    double load = 0;            // of a token bucket
    Instant planned = kNever;   // its next event
    std::uint32_t plan = 0;     // which counts
    std::uint32_t held = 0;     // flows that it holds back
    std::uint32_t index = 0;    // in the equations
    std::uint64_t visited = 0;  // by which search
    bool active = false;
    bool dirty = false;
    bool changed = false;
    std::uint32_t count = 0;     // flows through it
    std::uint32_t promised = 0;  // while it is idle, for how many its holders' bounds are enough
    std::vector<FlowId> listed;  // they, while it is idle
    std::vector<Held> ends;      // a heap, the earliest in front
  };
  struct Hop {
    PortId port;
    std::uint32_t place;  // where in an idle port's list; kNone: not there
  };
  struct Flow {
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

  [[nodiscard]] double even_share(const Port& port) const { return port.capacity / port.count; }
  /// An idle port's, as bounds count it: so that not each flow more has all of them lowered.
  [[nodiscard]] double promised_share(const Port& port) const {
    return port.capacity / std::max(port.count, port.promised);
  }

  void request();
  void solve(Instant now);
  void tighten_idle();
  void solve_component(PortId first, Instant now);
  void collect(PortId first);
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
  void mark_dirty(PortId number);
  void mark_changed(PortId number);

  /// Of a token bucket with something in it.
  static double burst_rate(const Port& port) {
    return port.pace * std::max(kBurstRate, port.full_rate);
  }
  void settle(Port& port, Instant now);
  void hold(FlowId id, PortId number, Instant now);
  void release(FlowId id, Instant now);
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
  std::uint64_t search_ = 0;
  std::vector<PortId> component_;
  std::vector<Bundles::BundleId> crossing_;
  std::vector<FlowId> ended_;
  SharedPorts shared_;
  FairShares shares_;
  FairShareSolver solver_;
};

}  // namespace foretrain::sim
