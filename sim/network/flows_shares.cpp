// The solution of the flows' fair shares, once per instant.
#include "sim/network/flows.h"

#include <algorithm>
#include <cmath>

namespace foretrain::sim {

void FlowNetwork::solve(Instant now) {
  tighten_idle();
  do {
    while (!dirty_.empty()) {
      const PortId port = dirty_.back();
      dirty_.pop_back();
      if (ports_[port].dirty && ports_[port].active) solve_region(port, now);
      ports_[port].dirty = false;
    }
    place_fresh(now);
    for (std::size_t i = 0; i < changed_.size(); ++i) check_bound(changed_[i]);
  } while (!dirty_.empty());
  for (const PortId port : changed_) finish_change(port, now);
  changed_.clear();
  requested_ = false;
}

// An idle port has more flows, so its even share is smaller. Bounds are lowered as if it had an
// eighth more flows, so that a new flow costs O(1) on average.
void FlowNetwork::tighten_idle() {
  for (const PortId number : touched_) {
    Port& port = ports_[number];
    if (port.active || port.count <= port.promised) continue;
    port.promised = port.count + port.count / 8;
    const double share = port.promised_share();
    for (const FlowId flow : port.listed) {
      if (flow == kNone || flows_[flow].holder == kNone) continue;
      Port& holder = ports_[flows_[flow].holder];
      holder.bound = std::min(holder.bound, share);
      if (holder.level > holder.bound * kRounding) mark_changed(flows_[flow].holder);
    }
  }
  touched_.clear();
}

void FlowNetwork::solve_region(PortId first, Instant now) {
  region_.solve(first, now);
  const auto ports = region_.ports();
  for (const PortId number : ports) mark_changed(number);
  const auto bundles = region_.bundles();
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    hold_bundle(bundles_[bundles[i]], region_.holder(i), now);
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (std::isfinite(region_.level(i))) ports_[ports[i]].level = region_.level(i);
  }
}

// A flow that changes its bottleneck takes along the bytes that it has left.
void FlowNetwork::hold_bundle(Bundles::Bundle& bundle, PortId holder, Instant now) {
  if (bundle.holder == holder && !bundle.mixed) return;
  bundle.holder = holder;
  bundle.mixed = false;
  for (const FlowId id : bundle.flows) {
    if (flows_[id].holder == holder) continue;
    if (flows_[id].holder != kNone) release(id, now);
    hold(id, holder, now);
  }
}

// Gives each new flow its bottleneck: that of its bundle, or its one active port.
void FlowNetwork::place_fresh(Instant now) {
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    const FlowId id = fresh_[i];
    look_ahead(std::span(fresh_).subspan(i));
    if (flows_[id].holder != kNone) continue;
    if (flows_[id].active > 1) {
      hold(id, bundles_.of(id).holder, now);
      continue;
    }
    for (const Hop& hop : flows_[id].hops) {
      if (ports_[hop.port].active) {
        hold(id, hop.port, now);
        break;
      }
    }
  }
  fresh_.clear();
}

// Activates idle ports on which a flow of this port now exceeds an even share.
void FlowNetwork::check_bound(PortId number) {
  if (!ports_[number].active || ports_[number].held == 0) return;
  if (ports_[number].level <= ports_[number].bound * kRounding) return;
  double bound = std::numeric_limits<double>::infinity();
  const double level = ports_[number].level;
  if (ports_[number].ends.size() > ports_[number].held) {
    ports_[number].ends.keep_if(
        [&](const Port::Held& held) { return flows_[held.flow].epoch == held.epoch; });
  }
  ports_[number].ends.visit([&](const Port::Held& held) {
    for (const Hop& hop : flows_[held.flow].hops) {
      if (ports_[hop.port].active) continue;
      Port& idle = ports_[hop.port];
      if (level > idle.idle_share() * kRounding) {
        activate(hop.port);
        continue;
      }
      if (level > idle.promised_share() * kRounding) idle.promised = idle.count;  // it is close
      bound = std::min(bound, idle.promised_share());
    }
  });
  ports_[number].bound = bound;
}

void FlowNetwork::finish_change(PortId number, Instant now) {
  Port& port = ports_[number];
  port.changed = false;
  if (!port.active) return;
  if (port.held == 0 && !port.lacks_tokens() && is_slack(number)) return deactivate(number);
  if (port.spec.burst > 0) port.load = load(number);
  plan(number, now);
}

}  // namespace foretrain::sim
