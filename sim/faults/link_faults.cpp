#include "sim/faults/link_faults.h"

#include "models/protocol/registry.h"

#include <algorithm>

namespace foretrain::sim {
namespace {
constexpr std::uint64_t kLinkEvents = 3;  // per fault; a token is a fault with an event
}  // namespace

LinkFaults::LinkFaults(Engine& engine, const Scenario& scenario,
                       std::shared_ptr<const Training> training,
                       const std::vector<NodePlace>& places, Fabric* fabric, Lost lost)
    : engine_(engine),
      scenario_(scenario),
      training_(std::move(training)),
      places_(places),
      fabric_(fabric),
      lost_(std::move(lost)) {}

void LinkFaults::start() {
  if (fabric_ == nullptr) return;
  for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
    const FaultSpec& fault = scenario_.faults[i];
    if (fault.cut.empty() && fault.slow.empty()) continue;
    schedule(i, What::begin, engine_.now() + fault.at);
  }
}

void LinkFaults::schedule(std::size_t fault, What what, Instant at) {
  engine_.schedule(at, {this, fault * kLinkEvents + static_cast<std::uint64_t>(what)});
}

std::size_t LinkFaults::host_of(const std::string& node) const {
  return places_[static_cast<std::size_t>(*node_called(scenario_, node))].host;
}

LinkFaults::Hosts LinkFaults::hosts_of(const FaultSpec& fault) const {
  const std::size_t a = host_of(fault.cut[0]);
  const std::size_t b = host_of(fault.cut[1]);
  return {std::min(a, b), std::max(a, b)};
}

std::vector<LinkFaults::Hosts> LinkFaults::ways_of(const FaultSpec& fault) const {
  const std::size_t first = host_of(fault.cut[0]);
  const std::size_t second = host_of(fault.cut[1]);
  if (fault.one_way) return {{first, second}};
  return {{first, second}, {second, first}};
}

void LinkFaults::wake(Instant now, std::uint64_t token) {
  const std::size_t fault = token / kLinkEvents;
  switch (static_cast<What>(token % kLinkEvents)) {
    case What::begin:
      return begin(fault, now);
    case What::end:
      return end(fault);
    case What::silence: {
      const Hosts hosts = hosts_of(scenario_.faults[fault]);
      const Cut& cut = cuts_[hosts];
      if (cut.faults > 0 && now - cut.since >= silence_of(scenario_)) part(hosts);
    }
  }
}

void LinkFaults::begin(std::size_t index, Instant now) {
  const FaultSpec& fault = scenario_.faults[index];
  schedule(index, What::end, now + fault.lasting);
  if (!fault.slow.empty()) {
    const std::size_t host = host_of(fault.slow);
    slow_[host].push_back(index);
    return pace(host);
  }
  Cut& cut = cuts_[hosts_of(fault)];
  if (cut.faults++ == 0) cut.since = now;
  for (const auto& [from, to] : ways_of(fault)) fabric_->cut(from, to);
  schedule(index, What::silence, now + silence_of(scenario_));
}

void LinkFaults::end(std::size_t index) {
  const FaultSpec& fault = scenario_.faults[index];
  if (!fault.slow.empty()) {
    const std::size_t host = host_of(fault.slow);
    std::erase(slow_[host], index);
    return pace(host);
  }
  --cuts_[hosts_of(fault)].faults;
  for (const auto& [from, to] : ways_of(fault)) fabric_->mend(from, to);
}

// If several faults overlap, the rate is the product of their shares.
void LinkFaults::pace(std::size_t host) {
  double share = 1;
  for (const std::size_t fault : slow_[host]) share *= scenario_.faults[fault].to;
  fabric_->set_rate_factor(host, share);
}

// Breaks every connection between nodes of the two hosts.
void LinkFaults::part(Hosts hosts) {
  for (int node = 0; node < training_->nodes(); ++node) {
    const NodeId id{static_cast<std::uint32_t>(node)};
    const std::size_t here = places_[static_cast<std::size_t>(node)].host;
    if (here != hosts.first && here != hosts.second) continue;
    for (const NodeId peer : peers_of(*training_, id)) {
      const std::size_t there = places_[index_of(peer)].host;
      if (here != there && (there == hosts.first || there == hosts.second)) lost_(id, peer);
    }
  }
}

}  // namespace foretrain::sim
