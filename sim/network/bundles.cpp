#include "sim/network/bundles.h"

#include "models/base/check.h"

#include <algorithm>

namespace foretrain::sim {
namespace {
std::uint32_t kind_of(std::span<const Bundles::PortId> ports) {
  std::uint32_t kind = 0;
  for (const Bundles::PortId port : ports) kind = (kind ^ port) * 0x9e3779b1U;
  return kind;
}
}  // namespace

Bundles::Bundle& Bundles::join(FlowId flow, std::span<const PortId> ports) {
  FT_CHECK_OP(ports.size(), >, std::size_t{1});
  if (places_.size() <= flow) places_.resize(flow + 1);
  const std::uint32_t kind = kind_of(ports);
  BundleId id = find(ports, kind);
  if (id == kNone) id = make(ports, kind);
  Bundle& bundle = bundles_[id];
  places_[flow] = {id, static_cast<std::uint32_t>(bundle.flows.size())};
  bundle.flows.push_back(flow);
  for (const PortId port : ports) ++ports_[port].flows;
  return bundle;
}

void Bundles::leave(FlowId flow) {
  if (!contains(flow)) return;
  const Place place = places_[flow];
  places_[flow].bundle = kNone;
  Bundle& bundle = bundles_[place.bundle];
  const FlowId last = bundle.flows.back();
  bundle.flows.pop_back();
  if (last != flow) {
    bundle.flows[place.index] = last;
    places_[last].index = place.index;
  }
  for (const Hop& hop : bundle.hops) --ports_[hop.port].flows;
  if (bundle.flows.empty()) drop(place.bundle);
}

// Searches the list of the port that has the fewest bundles.
Bundles::BundleId Bundles::find(std::span<const PortId> ports, std::uint32_t kind) const {
  const std::vector<Listed>* fewest = &ports_[ports[0]].bundles;
  for (const PortId port : ports.subspan(1)) {
    if (ports_[port].bundles.size() < fewest->size()) fewest = &ports_[port].bundles;
  }
  const std::size_t looked = std::min(fewest->size(), kLooked);
  for (const Listed& listed : std::span(*fewest).last(looked)) {
    if (listed.kind != kind) continue;
    if (std::ranges::equal(bundles_[listed.bundle].hops, ports, {}, &Hop::port)) {
      return listed.bundle;
    }
  }
  return kNone;
}

Bundles::BundleId Bundles::make(std::span<const PortId> ports, std::uint32_t kind) {
  auto id = static_cast<BundleId>(bundles_.size());
  if (free_.empty()) {
    bundles_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Bundle& bundle = bundles_[id];
  bundle.hops.clear();
  bundle.holder = kNone;
  bundle.mixed = false;
  for (const PortId port : ports) {
    auto& there = ports_[port].bundles;
    bundle.hops.push_back({port, static_cast<std::uint32_t>(there.size())});
    there.push_back({kind, id});
  }
  return id;
}

void Bundles::drop(BundleId bundle) {
  for (const Hop& hop : bundles_[bundle].hops) {
    auto& there = ports_[hop.port].bundles;
    const Listed last = there.back();
    there[hop.place] = last;
    there.pop_back();
    if (last.bundle == bundle) continue;
    for (Hop& moved : bundles_[last.bundle].hops) {
      if (moved.port == hop.port) moved.place = hop.place;
    }
  }
  free_.push_back(bundle);
}

}  // namespace foretrain::sim
