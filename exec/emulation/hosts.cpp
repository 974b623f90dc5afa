#include "exec/emulation/hosts.h"

#include "scenarios/resolve/emulated.h"

#include <fmt/format.h>

#include <utility>

namespace foretrain::exec {

std::vector<PlacedNode> placed_nodes(const Prepared& prepared, const std::vector<int>& cores) {
  std::vector<NodePlace> places = prepared.places;
  take_cores(places, prepared.scenario_case.scenario.cluster, static_cast<int>(cores.size()));
  share_cores(places, static_cast<int>(cores.size()));
  std::vector<PlacedNode> placed;
  placed.reserve(places.size());
  for (const NodePlace& place : places) {
    const NodeId id{static_cast<std::uint32_t>(placed.size())};
    PlacedNode node{prepared.training->role(id), place.host, place.host_name, {}};
    for (const int core : place.cores) node.cores.push_back(cores[static_cast<std::size_t>(core)]);
    placed.push_back(std::move(node));
  }
  return placed;
}

void Hosts::enter(std::size_t host, const std::function<void()>& work) const {
  emulation_ ? emulation_->network(host).enter(work) : work();
}

std::string Hosts::address(std::size_t host) const {
  return emulation_ ? Emulation::address(host) : "127.0.0.1";
}

InterfaceBytes Hosts::counted(std::size_t host) const {
  return emulation_ ? emulation_->counted(host) : InterfaceBytes{};
}

std::string Hosts::describe(std::size_t cores) const {
  if (!emulation_) return "this machine";
  return fmt::format("this machine, {} hosts emulated on {} cores", count(), cores);
}

}  // namespace foretrain::exec
