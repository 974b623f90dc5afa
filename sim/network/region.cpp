#include "sim/network/region.h"

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

void Region::solve(PortId first, Instant now) {
  region_ = ++search_;
  ports_.clear();
  crossing_.clear();
  grown_ = 0;
  take(first);
  grow(now, false);
  if (crossing_.empty()) {
    ++solved_;
    shares_.levels.assign(1, all_[first].even_share());
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

void Region::take(PortId port) {
  all_[port].visited = region_;
  ports_.push_back(port);
}

void Region::take_ports_of(BundleId bundle) {
  for (const auto& hop : bundles_[bundle].hops) {
    if (!inside(hop.port)) take(hop.port);
  }
}

// Adds the bundles through newly taken ports. Takes other changed ports of these bundles; all ports
// of a bundle if it has no single bottleneck; everything connected if `whole`.
void Region::grow(Instant now, bool whole) {
  for (; grown_ < ports_.size(); ++grown_) {
    FlowPort& port = all_[ports_[grown_]];
    port.dirty = false;
    port.settle(now);
    port.renew_capacity();
    for (const auto& [kind, id] : bundles_.at(ports_[grown_])) {
      Bundles::Bundle& bundle = bundles_[id];
      if (bundle.visited == region_) continue;
      bundle.visited = region_;
      crossing_.push_back(id);
      const bool all = whole || bundle.mixed || bundle.holder == Bundles::kNone;
      for (const auto& hop : bundle.hops) {
        if (!inside(hop.port) && (all || all_[hop.port].dirty)) take(hop.port);
      }
    }
  }
}

// Takes the ports of bundles whose rate has changed; if there are any and `whole`, those of all
// bundles. Returns whether a port was added.
bool Region::widen(bool whole) {
  const std::size_t before = ports_.size();
  for (std::size_t i = 0; i < crossing_.size(); ++i) {
    if (!keeps_rate(i)) take_ports_of(crossing_[i]);
  }
  if (ports_.size() == before) return false;
  for (std::size_t i = 0; whole && i < crossing_.size(); ++i) take_ports_of(crossing_[i]);
  return true;
}

// The level of a port that is in the region or is the bottleneck of one of its bundles.
double Region::level_now(PortId port) const {
  return inside(port) ? shares_.levels[all_[port].index] : all_[port].level;
}

bool Region::keeps_rate(std::size_t bundle) const {
  const PortId before = bundles_[crossing_[bundle]].holder;
  return before != Bundles::kNone &&
         same_rate(shares_.levels[shares_.holders[bundle]], all_[before].level);
}

Region::PortId Region::holder(std::size_t bundle) const {
  const std::uint32_t found = shares_.holders[bundle];
  const Bundles::Bundle& held = bundles_[crossing_[bundle]];
  // If two ports are full at one level, either may be the bottleneck: the old one stays.
  if (held.holder != Bundles::kNone && !held.mixed &&
      same_rate(level_now(held.holder), shares_.levels[found])) {
    return held.holder;
  }
  return ports_[found];
}

void Region::write_equations() {
  const std::uint64_t border = ++search_;
  shared_.clear();
  for (const PortId number : ports_) {
    FlowPort& port = all_[number];
    port.index = static_cast<std::uint32_t>(shared_.ports.size());
    shared_.ports.push_back({port.capacity, port.count - bundles_.flows_at(number)});
  }
  for (const BundleId id : crossing_) {
    const Bundles::Bundle& bundle = bundles_[id];
    shared_.first_hops.push_back(static_cast<std::uint32_t>(shared_.hops.size()));
    shared_.sizes.push_back(bundle.flows.size());
    for (const auto& hop : bundle.hops) {
      FlowPort& port = all_[hop.port];
      if (!inside(hop.port)) {
        if (hop.port != bundle.holder) continue;
        if (port.visited != border) {
          port.visited = border;
          port.index = static_cast<std::uint32_t>(shared_.ports.size());
          shared_.ports.push_back({.capacity = port.capacity, .level = port.level});
        }
      }
      shared_.hops.push_back(port.index);
    }
  }
}

}  // namespace foretrain::sim
