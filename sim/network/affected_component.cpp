#include "sim/network/affected_component.h"

#include <cmath>

namespace foretrain::sim {
namespace {

// Rates that differ by less are the same rate, computed in another order. A level is a remaining
// capacity, divided: its error is about the roundings of h subtractions, 1e-16 of the capacity
// each, that is h n 1e-16 of a level that is an n-th of it; 1e-12 for 100 bundles of 100 flows.
// Such an error does not accumulate: levels are computed from capacities, not from earlier levels.
constexpr double kSameRate = 1e-12;

// After this many solutions, or solved ports, a region takes everything that is connected. With
// 1,024 hosts and a hypercube in addition to their ring, half of the regions are one port; one
// region in ten thousand would be solved more often than this.
constexpr int kRounds = 8;
constexpr std::uint64_t kSolved = 256;

bool same_rate(double a, double b) { return std::abs(a - b) <= kSameRate * b; }

}  // namespace

void AffectedComponent::solve(PortId first, Instant now) {
  component_ = ++search_;
  ports_.clear();
  crossing_.clear();
  grown_ = 0;
  take(first);
  grow(now, false);
  if (crossing_.empty()) {
    ++solved_;
    shares_.fair_rates.assign(1, all_[first].even_share());
    return;
  }
  const std::uint64_t before = solved_;
  for (int round = 1;; ++round) {
    write_equations();
    solver_.solve(shared_, shares_);
    solved_ += ports_.size();
    const bool whole = round >= kRounds || solved_ - before > kSolved;
    if (!widen(whole)) return;
    grow(now, whole);
  }
}

void AffectedComponent::take(PortId port) {
  all_[port].visited = component_;
  ports_.push_back(port);
}

void AffectedComponent::take_ports_of(FlowClassId flow_class) {
  for (const auto& hop : flow_classes_[flow_class].hops) {
    if (!inside(hop.port)) take(hop.port);
  }
}

// Adds the bundles through newly taken ports. Takes other changed ports of these bundles; all ports
// of a bundle if it has no single bottleneck; everything connected if `whole`.
void AffectedComponent::grow(Instant now, bool whole) {
  for (; grown_ < ports_.size(); ++grown_) {
    FlowPort& port = all_[ports_[grown_]];
    port.dirty = false;
    port.advance_to(now);
    port.renew_capacity();
    for (const auto& [kind, id] : flow_classes_.at(ports_[grown_])) {
      FlowClasses::FlowClass& flow_class = flow_classes_[id];
      if (flow_class.visited == component_) continue;
      flow_class.visited = component_;
      crossing_.push_back(id);
      const bool all = whole || flow_class.mixed || flow_class.bottleneck == FlowClasses::kNone;
      for (const auto& hop : flow_class.hops) {
        if (!inside(hop.port) && (all || all_[hop.port].dirty)) take(hop.port);
      }
    }
  }
}

// Takes the ports of bundles whose rate has changed; if there are any and `whole`, those of all
// bundles. Returns whether a port was added.
bool AffectedComponent::widen(bool whole) {
  const std::size_t before = ports_.size();
  for (std::size_t i = 0; i < crossing_.size(); ++i) {
    if (!keeps_rate(i)) take_ports_of(crossing_[i]);
  }
  if (ports_.size() == before) return false;
  for (std::size_t i = 0; whole && i < crossing_.size(); ++i) take_ports_of(crossing_[i]);
  return true;
}

// The level of a port that is in the region or is the bottleneck of one of its bundles.
double AffectedComponent::fair_rate_now(PortId port) const {
  return inside(port) ? shares_.fair_rates[all_[port].index] : all_[port].fair_rate;
}

bool AffectedComponent::keeps_rate(std::size_t flow_class) const {
  const PortId before = flow_classes_[crossing_[flow_class]].bottleneck;
  return before != FlowClasses::kNone &&
         same_rate(shares_.fair_rates[shares_.bottlenecks[flow_class]], all_[before].fair_rate);
}

AffectedComponent::PortId AffectedComponent::bottleneck(std::size_t flow_class) const {
  const std::uint32_t found = shares_.bottlenecks[flow_class];
  const FlowClasses::FlowClass& asked = flow_classes_[crossing_[flow_class]];
  // If two ports are full at one level, either may be the bottleneck: the old one stays.
  if (asked.bottleneck != FlowClasses::kNone && !asked.mixed &&
      same_rate(fair_rate_now(asked.bottleneck), shares_.fair_rates[found])) {
    return asked.bottleneck;
  }
  return ports_[found];
}

void AffectedComponent::write_equations() {
  const std::uint64_t border = ++search_;
  shared_.clear();
  for (const PortId number : ports_) {
    FlowPort& port = all_[number];
    port.index = static_cast<std::uint32_t>(shared_.ports.size());
    shared_.ports.push_back({port.capacity, port.count - flow_classes_.flows_at(number)});
  }
  for (const FlowClassId id : crossing_) {
    const FlowClasses::FlowClass& flow_class = flow_classes_[id];
    shared_.first_hops.push_back(static_cast<std::uint32_t>(shared_.hops.size()));
    shared_.sizes.push_back(flow_class.flows.size());
    for (const auto& hop : flow_class.hops) {
      FlowPort& port = all_[hop.port];
      if (!inside(hop.port)) {
        if (hop.port != flow_class.bottleneck) continue;
        if (port.visited != border) {
          port.visited = border;
          port.index = static_cast<std::uint32_t>(shared_.ports.size());
          shared_.ports.push_back({.capacity = port.capacity, .fair_rate = port.fair_rate});
        }
      }
      shared_.hops.push_back(port.index);
    }
  }
}

}  // namespace foretrain::sim
