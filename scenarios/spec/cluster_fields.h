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
               .doc = "hosts at one leaf switch; leaves are filled in the order of the hosts",
               .least = 1,
               .most = kNodesMax},
              spec.hosts_per_leaf);
  visit.field({.key = "spines", .doc = "number of spine switches", .least = 1, .most = 1024},
              spec.spines);
  visit.field({.key = "oversubscription",
               .doc = "oversubscription: rate of all hosts of a leaf over the rate of its uplinks",
               .above = 0,
               .most = 1e6},
              spec.oversubscription);
  visit.field({.key = "latency", .doc = "one way, leaf to spine", .least = 0, .most = 1000},
              spec.latency);
}

template <class Visitor, Described<LinkSpec> T>
void describe(Visitor& visit, T& link) {
  visit.field({.key = "from", .doc = "a host, or the name of a switch", .required = true},
              link.from);
  visit.field({.key = "to", .doc = "likewise", .required = true}, link.to);
  visit.field(
      {.key = "rate", .doc = "rate of each direction", .above = 0, .most = 1e15, .required = true},
      link.rate);
  visit.field({.key = "latency", .doc = "latency one way", .least = 0, .most = 1000}, link.latency);
}

template <class Visitor, Described<ClusterSpec> T>
void describe(Visitor& visit, T& cluster) {
  visit.list({.key = "hosts",
              .doc = "the machines; `foretrain describe hardware` lists those of the library: "
                     "[4 x dgx-1]",
              .written = !cluster.hosts.empty(),
              .shorthand = "like",
              .library = "hardware"},
             cluster.hosts);
  visit.field({.key = "topology",
               .doc = "how the hosts are connected",
               .choices = {"star", "leaf_spine", "links"}},
              cluster.topology);
  visit.section({.key = "leaf_spine",
                 .doc = "two levels of switches",
                 .used = cluster.topology == "leaf_spine",
                 .unused_because = "only topology leaf_spine has leaves",
                 .written = cluster.topology == "leaf_spine"},
                cluster.leaf_spine);
  visit.list({.key = "links",
              .doc = "links between hosts or switches; nic and latency of hosts are not used",
              .required = true,
              .used = cluster.topology == "links",
              .unused_because = "only topology links lists them",
              .written = cluster.topology == "links"},
             cluster.links);
  visit.field({.key = "tcp",
               .doc = "simulate: headers and slow start of TCP; off: no headers, no slow start"},
              cluster.tcp);
  const bool capped = std::ranges::any_of(
      cluster.hosts, [](const HostSpec& host) { return host.flow_rate.value > 0; });
  visit.field(
      {.key = "connections",
       .doc = "simulate: parallel connections between two nodes, of use if hosts have a flow_rate, "
              "the limit of one connection; collectives use at least one per port of a host",
       .least = 1,
       .most = 1024,
       .used = capped,
       .unused_because = "no host has a flow_rate, so one connection can use the whole rate",
       .written = cluster.connections > 1},
      cluster.connections);
  visit.section({.key = "placement",
                 .doc = "host of each node; left out: hosts take workers in turn, one each, or one "
                        "per device, then servers; workers on a host have consecutive ranks"},
                cluster.placement);
}

/// Another training on the same cluster. Its keys include those of a placement.
template <class Visitor, Described<ColocatedJob> T>
void describe(Visitor& visit, T& colocated_job) {
  visit.field({.key = "scenario",
               .doc = "scenario file of the neighbour, with one case; its cluster is not used",
               .required = true},
              colocated_job.scenario);
  describe(visit, colocated_job.placement);
  visit.field({.key = "starts_at",
               .doc = "start time, after the start of this training",
               .least = 0,
               .most = 1e9},
              colocated_job.starts_at);
}

template <class Visitor, Described<TransportSpec> T>
void describe(Visitor& visit, T& transport) {
  visit.field({.key = "congestion_control",
               .doc = "congestion control algorithm; left out: cubic, or reno if not available",
               .written = !transport.congestion_control.empty()},
              transport.congestion_control);
  visit.field(
      {.key = "socket_buffer",
       .doc =
           "size of the socket buffer of each direction of a connection; 0: chosen by the kernel",
       .least = 0,
       .most = 1e9},
      transport.socket_buffer);
  visit.field({.key = "unsent",
               .doc = "most unsent bytes of a connection in the kernel, where later urgent "
                      "messages cannot overtake them; 0: no limit",
               .least = 0,
               .most = 1e9},
              transport.unsent);
  visit.field({.key = "poll",
               .doc = "how long a node polls for messages before it sleeps; left out: 1 ms",
               .least = 0,
               .most = 10,
               .written = transport.poll.has_value()},
              transport.poll);
  visit.field({.key = "pin", .doc = "pin nodes to cores, round robin; off: the kernel places them"},
              transport.pin);
  visit.field({.key = "shared_memory",
               .doc = "run: nodes of one host exchange messages through shared memory, as NCCL "
                      "does (not with --tls); forecasts assume TCP",
               .written = transport.shared_memory},
              transport.shared_memory);
}

}  // namespace foretrain
