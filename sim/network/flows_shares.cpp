// Who shares with whom: the part of the flows that is solved once an instant.
#include "models/base/check.h"
#include "models/base/ethernet.h"
#include "sim/network/flows.h"

#include <algorithm>
#include <cmath>

namespace foretrain::sim {
namespace {
constexpr double kPacket = ethernet::kCounted;  // a bucket with less in it is empty
}  // namespace

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

// More flows on an idle port: an even share of it is less than it was. Bounds are lowered for an
// eighth more of them at once: a flow costs O(1).
void FlowNetwork::tighten_idle() {
  for (const PortId number : touched_) {
    Port& port = ports_[number];
    if (port.active || port.count <= port.promised) continue;
    port.promised = port.count + port.count / 8;
    const double share = promised_share(port);
    for (const FlowId flow : port.listed) {
      if (flows_[flow].holder == kNone) continue;
      Port& holder = ports_[flows_[flow].holder];
      holder.bound = std::min(holder.bound, share);
      if (holder.level > holder.bound * kRounding) mark_changed(flows_[flow].holder);
    }
  }
  touched_.clear();
}

// The active ports that crossing flows connect with `first`, and the bundles of these flows.
void FlowNetwork::collect(PortId first) {
  ++search_;
  component_.assign(1, first);
  crossing_.clear();
  ports_[first].visited = search_;
  for (std::size_t i = 0; i < component_.size(); ++i) {
    Port& port = ports_[component_[i]];
    port.index = static_cast<std::uint32_t>(i);
    port.dirty = false;
    for (const auto& [kind, id] : bundles_.at(component_[i])) {
      Bundles::Bundle& bundle = bundles_[id];
      if (bundle.visited == search_) continue;
      bundle.visited = search_;
      crossing_.push_back(id);
      for (const auto& hop : bundle.hops) {
        Port& other = ports_[hop.port];
        if (other.visited == search_) continue;
        other.visited = search_;
        component_.push_back(hop.port);
      }
    }
  }
}

void FlowNetwork::solve_component(PortId first, Instant now) {
  collect(first);
  for (const PortId number : component_) {
    Port& port = ports_[number];
    settle(port, now);
    if (port.spec.burst > 0) {
      const bool saved = port.tokens >= std::min(kPacket, port.spec.burst) ||
                         (port.capacity > port.spec.rate && port.tokens >= 1);
      port.capacity = saved ? burst_rate(port) : port.spec.rate;
    }
    mark_changed(number);
  }
  if (crossing_.empty()) {
    ports_[first].level = even_share(ports_[first]);
    return;
  }
  shared_.clear();
  for (const PortId number : component_) {
    const Port& port = ports_[number];
    shared_.ports.push_back({port.capacity, port.count - bundles_.flows_at(number)});
  }
  for (const Bundles::BundleId id : crossing_) {
    const Bundles::Bundle& bundle = bundles_[id];
    shared_.first_hops.push_back(static_cast<std::uint32_t>(shared_.hops.size()));
    for (const auto& hop : bundle.hops) shared_.hops.push_back(ports_[hop.port].index);
    shared_.sizes.push_back(bundle.flows.size());
  }
  solver_.solve(shared_, shares_);
  for (std::size_t i = 0; i < crossing_.size(); ++i) {
    hold_bundle(bundles_[crossing_[i]], component_[shares_.holders[i]], now);
  }
  for (std::size_t i = 0; i < component_.size(); ++i) {
    if (std::isfinite(shares_.levels[i])) ports_[component_[i]].level = shares_.levels[i];
  }
}

// A flow leaves a port with what it has moved there so far.
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

// Flows that are new: what holds their bundle holds them, or their one active port.
void FlowNetwork::place_fresh(Instant now) {
  for (const FlowId id : fresh_) {
    if (flows_[id].holder != kNone) continue;
    if (bundles_.contains(id)) {
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

// Whether an idle port has to be counted in, since a flow has come to exceed an even share of it.
void FlowNetwork::check_bound(PortId number) {
  if (!ports_[number].active || ports_[number].held == 0) return;
  if (ports_[number].level <= ports_[number].bound * kRounding) return;
  double bound = std::numeric_limits<double>::infinity();
  const double level = ports_[number].level;
  std::erase_if(ports_[number].ends,
                [&](const Held& held) { return flows_[held.flow].epoch != held.epoch; });
  std::ranges::make_heap(ports_[number].ends, Held::later);
  for (const Held& held : ports_[number].ends) {
    for (const Hop& hop : flows_[held.flow].hops) {
      if (ports_[hop.port].active) continue;
      Port& idle = ports_[hop.port];
      if (level > even_share(idle) * kRounding) {
        activate(hop.port);
        continue;
      }
      if (level > promised_share(idle) * kRounding) idle.promised = idle.count;  // it is close
      bound = std::min(bound, promised_share(idle));
    }
  }
  ports_[number].bound = bound;
}

void FlowNetwork::finish_change(PortId number, Instant now) {
  Port& port = ports_[number];
  port.changed = false;
  if (!port.active) return;
  if (port.spec.burst > 0) {
    port.load = load(number);
  } else if (port.held == 0 && is_slack(number)) {
    return deactivate(number);
  }
  plan(number, now);
}

}  // namespace foretrain::sim
