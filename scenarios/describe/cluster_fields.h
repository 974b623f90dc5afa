// The keys of a scenario's hosts, with those of their wires.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/describe/machine_fields.h"
#include "scenarios/scenario.h"

namespace foretrain {

template <class Visitor, Described<HostSpec> T>
void describe(Visitor& visit, T& host) {
  visit.field({.key = "name", .doc = "for placement, for people", .required = true}, host.name);
  visit.field({.key = "count",
               .doc = "above 1: as many hosts, called name0, name1, ...",
               .least = 1,
               .most = kNodesMax},
              host.count);
  visit.field({.key = "cores", .doc = "processor cores", .least = 1, .most = 1024}, host.cores);
  visit.field({.key = "nic",
               .doc = "rate of the network interface, each direction",
               .above = 0,
               .most = 1e15},
              host.nic);
  visit.field(
      {.key = "burst",
       .doc = "what the interface may send at once after a rest; left out: 1 ms of the rate",
       .least = 2000,
       .most = 1e9,
       .written = host.burst.value > 0},
      host.burst);
  visit.field({.key = "latency", .doc = "one way, host to switch", .least = 0, .most = 1000},
              host.latency);
  visit.field({.key = "machine",
               .doc = "a machine file; left out: this machine, calibrated",
               .written = !host.machine.empty()},
              host.machine);
  visit.field({.key = "compute",
               .doc = "instead of a machine: every gradient takes this long",
               .above = 0,
               .most = 1e6,
               .written = host.compute.has_value()},
              host.compute);
  describe_roofline(visit, host.roofline);
  visit.section({.key = "send",
                 .doc = "CPU time of a message, by bytes; left out: as the machine says, or none",
                 .written = host.send != AffineCost{}},
                host.send);
  visit.section({.key = "receive",
                 .doc = "CPU time of a message, by bytes; left out: as the machine says, or none",
                 .written = host.receive != AffineCost{}},
                host.receive);
  visit.field({.key = "mtbf",
               .doc = "simulate: mean time between failures of one of them, 6 h; each sets the "
                      "training back to its last checkpoint; left out: never",
               .least = 1,
               .most = 1e9,
               .written = host.mtbf.ns > 0},
              host.mtbf);
  visit.field({.key = "restart_after",
               .doc = "simulate: from a failure until all nodes are ready again",
               .least = 0,
               .most = 1e6,
               .used = host.mtbf.ns > 0,
               .unused_because = "without mtbf it never fails",
               .written = host.mtbf.ns > 0},
              host.restart_after);
  visit.field({.key = "price",
               .doc = "what one of them costs, in any currency: 2.50 per hour; whatif adds it up",
               .least = 0,
               .most = 1e6,
               .written = host.price > 0,
               .price = true},
              host.price);
}

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
  visit.list({.key = "hosts", .doc = "the machines", .written = !cluster.hosts.empty()},
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
  visit.section({.key = "placement", .doc = "which host each node is on; left out: in turn"},
                cluster.placement);
}

/// The keys of a placement stand among the neighbour's own.
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
}

}  // namespace foretrain
