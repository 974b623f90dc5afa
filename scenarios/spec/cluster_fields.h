// The keys of a scenario's cluster.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/host_fields.h"
#include "scenarios/spec/scenario.h"

#include <algorithm>

namespace foretrain {

template <class Visitor, Described<Placement> T>
void describe(Visitor& visit, T& placement) {
  visit.field({.key = "workers",
               .doc = "host of each worker, in order",
               .written = !placement.workers.empty()},
              placement.workers);
  visit.field({.key = "servers",
               .doc = "host of each server, in order",
               .written = !placement.servers.empty()},
              placement.servers);
}

template <class Visitor, Described<LeafSpineSpec> T>
void describe(Visitor& visit, T& spec) {
  visit.field({.key = "hosts_per_leaf",
               .doc = "at one leaf switch; the hosts in their order fill the leaves",
               .least = 1,
               .most = kNodesMax},
              spec.hosts_per_leaf);
  visit.field({.key = "spines", .doc = "switches that join the leaves", .least = 1, .most = 1024},
              spec.spines);
  visit.field({.key = "oversubscription",
               .doc = "what the hosts of a leaf can send together over what its uplinks carry",
               .above = 0,
               .most = 1e6},
              spec.oversubscription);
  visit.field({.key = "latency", .doc = "one way, leaf to spine", .least = 0, .most = 1000},
              spec.latency);
}

template <class Visitor, Described<LinkSpec> T>
void describe(Visitor& visit, T& link) {
  visit.field({.key = "from", .doc = "a host, or a switch by a name of its own", .required = true},
              link.from);
  visit.field({.key = "to", .doc = "likewise", .required = true}, link.to);
  visit.field({.key = "rate", .doc = "each direction", .above = 0, .most = 1e15, .required = true},
              link.rate);
  visit.field({.key = "latency", .doc = "one way", .least = 0, .most = 1000}, link.latency);
}

template <class Visitor, Described<ClusterSpec> T>
void describe(Visitor& visit, T& cluster) {
  visit.list({.key = "hosts",
              .doc = "the machines; describe hardware lists those that the library has",
              .written = !cluster.hosts.empty(),
              .library = "hardware"},
             cluster.hosts);
  visit.field({.key = "topology",
               .doc = "how the hosts are wired",
               .choices = {"star", "leaf_spine", "links"}},
              cluster.topology);
  visit.section({.key = "leaf_spine",
                 .doc = "two levels of switches",
                 .used = cluster.topology == "leaf_spine",
                 .unused_because = "only topology leaf_spine has leaves",
                 .written = cluster.topology == "leaf_spine"},
                cluster.leaf_spine);
  visit.list({.key = "links",
              .doc = "each between two hosts or switches; the hosts' nic and latency do not count",
              .required = true,
              .used = cluster.topology == "links",
              .unused_because = "only topology links lists them",
              .written = cluster.topology == "links"},
             cluster.links);
  visit.field({.key = "tcp",
               .doc = "simulate: headers and slow start; off: messages are a fluid without either"},
              cluster.tcp);
  const bool capped = std::ranges::any_of(
      cluster.hosts, [](const HostSpec& host) { return host.flow_rate.value > 0; });
  visit.field(
      {.key = "connections",
       .doc = "simulate: connections between two nodes, for hosts with a flow_rate; at least as "
              "many as a host has ports where workers add up among themselves",
       .least = 1,
       .most = 1024,
       .used = capped,
       .unused_because = "no host has a flow_rate, so one connection carries all there is",
       .written = cluster.connections > 1},
      cluster.connections);
  visit.section({.key = "placement",
                 .doc = "which host each node is on; left out: equally many workers a host, or as "
                        "many as it has devices, one host's ranks before the next one's"},
                cluster.placement);
}

/// The keys of a placement are written directly among the neighbour's own.
template <class Visitor, Described<NeighbourSpec> T>
void describe(Visitor& visit, T& neighbour) {
  visit.field({.key = "scenario",
               .doc = "its file; one case, whose own cluster does not count",
               .required = true},
              neighbour.scenario);
  describe(visit, neighbour.placement);
  visit.field({.key = "starts_at", .doc = "after this training began", .least = 0, .most = 1e9},
              neighbour.starts_at);
}

template <class Visitor, Described<TransportSpec> T>
void describe(Visitor& visit, T& transport) {
  visit.field({.key = "congestion_control",
               .doc = "one that the kernel knows; left out: cubic, else reno",
               .written = !transport.congestion_control.empty()},
              transport.congestion_control);
  visit.field({.key = "socket_buffer",
               .doc = "of each direction of a connection; 0: as the kernel finds out",
               .least = 0,
               .most = 1e9},
              transport.socket_buffer);
  visit.field({.key = "unsent",
               .doc = "the most that waits in the kernel, where no message overtakes; 0: no bound",
               .least = 0,
               .most = 1e9},
              transport.unsent);
  visit.field({.key = "poll",
               .doc = "how long a node looks for messages before it sleeps; left out: 1 ms",
               .least = 0,
               .most = 10,
               .written = transport.poll.has_value()},
              transport.poll);
  visit.field({.key = "pin", .doc = "nodes to cores, round robin; off: the kernel moves them"},
              transport.pin);
  visit.field({.key = "shared_memory",
               .doc = "run: what nodes of one host send each other goes through memory of both, as "
                      "NCCL has it, but with --tls; forecasts are of TCP",
               .written = transport.shared_memory},
              transport.shared_memory);
}

}  // namespace foretrain
