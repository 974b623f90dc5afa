#include "sim/network/flow_classes.h"

#include "models/base/check.h"

#include <algorithm>

namespace foretrain::sim {
namespace {
std::uint32_t kind_of(std::span<const FlowClasses::PortId> ports) {
  std::uint32_t kind = 0;
  for (const FlowClasses::PortId port : ports) kind = (kind ^ port) * 0x9e3779b1U;
  return kind;
}
}  // namespace

FlowClasses::FlowClass& FlowClasses::join(FlowId flow, std::span<const PortId> ports) {
  FT_CHECK_OP(ports.size(), >, std::size_t{1});
  if (places_.size() <= flow) places_.resize(flow + 1);
  const std::uint32_t kind = kind_of(ports);
  FlowClassId id = find(ports, kind);
  if (id == kNone) id = make(ports, kind);
  FlowClass& flow_class = flow_classes_[id];
  places_[flow] = {id, static_cast<std::uint32_t>(flow_class.flows.size())};
  flow_class.flows.push_back(flow);
  for (const PortId port : ports) ++ports_[port].flows;
  return flow_class;
}

void FlowClasses::leave(FlowId flow) {
  if (!contains(flow)) return;
  const Place place = places_[flow];
  places_[flow].flow_class = kNone;
  FlowClass& flow_class = flow_classes_[place.flow_class];
  const FlowId last = flow_class.flows.back();
  flow_class.flows.pop_back();
  if (last != flow) {
    flow_class.flows[place.index] = last;
    places_[last].index = place.index;
  }
  for (const Hop& hop : flow_class.hops) --ports_[hop.port].flows;
  if (flow_class.flows.empty()) drop(place.flow_class);
}

// Searches the list of the port that has the fewest bundles.
FlowClasses::FlowClassId FlowClasses::find(std::span<const PortId> ports,
                                           std::uint32_t kind) const {
  const std::vector<Listed>* fewest = &ports_[ports[0]].flow_classes;
  for (const PortId port : ports.subspan(1)) {
    if (ports_[port].flow_classes.size() < fewest->size()) fewest = &ports_[port].flow_classes;
  }
  const std::size_t looked = std::min(fewest->size(), kLooked);
  for (const Listed& listed : std::span(*fewest).last(looked)) {
    if (listed.kind != kind) continue;
    if (std::ranges::equal(flow_classes_[listed.flow_class].hops, ports, {}, &Hop::port)) {
      return listed.flow_class;
    }
  }
  return kNone;
}

FlowClasses::FlowClassId FlowClasses::make(std::span<const PortId> ports, std::uint32_t kind) {
  auto id = static_cast<FlowClassId>(flow_classes_.size());
  if (free_.empty()) {
    flow_classes_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  FlowClass& flow_class = flow_classes_[id];
  flow_class.hops.clear();
  flow_class.bottleneck = kNone;
  flow_class.mixed = false;
  for (const PortId port : ports) {
    auto& there = ports_[port].flow_classes;
    flow_class.hops.push_back({port, static_cast<std::uint32_t>(there.size())});
    there.push_back({kind, id});
  }
  return id;
}

void FlowClasses::drop(FlowClassId flow_class) {
  for (const Hop& hop : flow_classes_[flow_class].hops) {
    auto& there = ports_[hop.port].flow_classes;
    const Listed last = there.back();
    there[hop.place] = last;
    there.pop_back();
    if (last.flow_class == flow_class) continue;
    for (Hop& moved : flow_classes_[last.flow_class].hops) {
      if (moved.port == hop.port) moved.place = hop.place;
    }
  }
  free_.push_back(flow_class);
}

}  // namespace foretrain::sim
