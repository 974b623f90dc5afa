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
      if (ports_[port].dirty && ports_[port].active) solve_component(port, now);
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
      if (flow == kNone || flows_[flow].bottleneck == kNone) continue;
      Port& bottleneck = ports_[flows_[flow].bottleneck];
      bottleneck.bound = std::min(bottleneck.bound, share);
      if (bottleneck.fair_rate > bottleneck.bound * kRounding)
        mark_changed(flows_[flow].bottleneck);
    }
  }
  touched_.clear();
}

void FlowNetwork::solve_component(PortId first, Instant now) {
  component_.solve(first, now);
  const auto ports = component_.ports();
  for (const PortId number : ports) mark_changed(number);
  const auto flow_classes = component_.flow_classes();
  for (std::size_t i = 0; i < flow_classes.size(); ++i) {
    hold_flow_class(flow_classes_[flow_classes[i]], component_.bottleneck(i), now);
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (std::isfinite(component_.fair_rate(i)))
      ports_[ports[i]].fair_rate = component_.fair_rate(i);
  }
}

// A flow that changes its bottleneck takes along the bytes that it has left.
void FlowNetwork::hold_flow_class(FlowClasses::FlowClass& flow_class, PortId bottleneck,
                                  Instant now) {
  if (flow_class.bottleneck == bottleneck && !flow_class.mixed) return;
  flow_class.bottleneck = bottleneck;
  flow_class.mixed = false;
  for (const FlowId id : flow_class.flows) {
    if (flows_[id].bottleneck == bottleneck) continue;
    if (flows_[id].bottleneck != kNone) release(id, now);
    hold(id, bottleneck, now);
  }
}

// Gives each new flow its bottleneck: that of its bundle, or its one active port.
void FlowNetwork::place_fresh(Instant now) {
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    const FlowId id = fresh_[i];
    look_ahead(std::span(fresh_).subspan(i));
    if (flows_[id].bottleneck != kNone) continue;
    if (flows_[id].active > 1) {
      hold(id, flow_classes_.of(id).bottleneck, now);
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
  if (!ports_[number].active || ports_[number].bottlenecked == 0) return;
  if (ports_[number].fair_rate <= ports_[number].bound * kRounding) return;
  double bound = std::numeric_limits<double>::infinity();
  const double fair_rate = ports_[number].fair_rate;
  if (ports_[number].ends.size() > ports_[number].bottlenecked) {
    ports_[number].ends.keep_if([&](const Port::Bottlenecked& bottlenecked) {
      return flows_[bottlenecked.flow].epoch == bottlenecked.epoch;
    });
  }
  ports_[number].ends.visit([&](const Port::Bottlenecked& bottlenecked) {
    for (const Hop& hop : flows_[bottlenecked.flow].hops) {
      if (ports_[hop.port].active) continue;
      Port& idle = ports_[hop.port];
      if (fair_rate > idle.idle_share() * kRounding) {
        activate(hop.port);
        continue;
      }
      if (fair_rate > idle.promised_share() * kRounding) idle.promised = idle.count;  // it is close
      bound = std::min(bound, idle.promised_share());
    }
  });
  ports_[number].bound = bound;
}

void FlowNetwork::finish_change(PortId number, Instant now) {
  Port& port = ports_[number];
  port.changed = false;
  if (!port.active) return;
  if (port.bottlenecked == 0 && !port.lacks_tokens() && is_slack(number)) return deactivate(number);
  if (port.spec.burst > 0) port.load = load(number);
  plan(number, now);
}

}  // namespace foretrain::sim
