// The keys of a scenario's hosts.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/device_fields.h"
#include "scenarios/spec/machine_fields.h"
#include "scenarios/spec/scenario.h"

namespace foretrain {

template <class Visitor, Described<HostSpec> T>
void describe_network(Visitor& visit, T& host) {
  visit.field({.key = "nic",
               .doc = "rate of the network interface, each direction",
               .above = 0,
               .most = 1e15},
              host.nic);
  visit.field(
      {.key = "burst",
       .doc = "burst that the interface sends at once after a pause; left out: 1 ms at the rate",
       .least = 2000,
       .most = 1e9,
       .written = host.burst.value > 0},
      host.burst);
  visit.field({.key = "latency", .doc = "one way, host to switch", .least = 0, .most = 1000},
              host.latency);
  visit.field({.key = "flow_rate",
               .doc = "simulate: largest rate of one connection; left out: that of the nic",
               .above = 0,
               .most = 1e15,
               .written = host.flow_rate.value > 0},
              host.flow_rate);
  visit.field({.key = "ports",
               .doc = "simulate: number of network ports that share the nic; collectives use all "
                      "of them at once, a flow_rate each, as NCCL's rings do",
               .least = 1,
               .most = 1024,
               .used = host.flow_rate.value > 0,
               .unused_because = "without a flow_rate one connection can use the whole rate",
               .written = host.ports > 1},
              host.ports);
  visit.field({.key = "transport",
               .doc = "simulate: rdma: network cards of two such hosts move messages, without CPU "
                      "time, TCP headers and slow start; tcp: the kernel does",
               .choices = {"tcp", "rdma"},
               .written = host.rdma()},
              host.transport);
}

template <class Visitor, Described<HostSpec> T>
void describe_messages(Visitor& visit, T& host) {
  visit.section(
      {.key = "send",
       .doc = "TCP's CPU time to send, per message and byte; left out: the machine's, or none",
       .written = host.send != AffineCost{}},
      host.send);
  visit.section(
      {.key = "receive",
       .doc = "TCP's CPU time to receive, per message and byte; left out: the machine's, or none",
       .written = host.receive != AffineCost{}},
      host.receive);
}

template <class Visitor, Described<HostSpec> T>
void describe_failures(Visitor& visit, T& host) {
  visit.field({.key = "mtbf",
               .doc = "simulate: mean time between failures of one host, such as 6 h; a failure "
                      "sets the training back to the last checkpoint, or stops only its workers if "
                      "the strategy lets them return; left out: no failures",
               .least = 1,
               .most = 1e9,
               .written = host.mtbf.ns > 0},
              host.mtbf);
  visit.field({.key = "restart_after",
               .doc = "simulate: time from a failure until the host is back",
               .least = 0,
               .most = 1e6,
               .used = host.mtbf.ns > 0,
               .unused_because = "without mtbf there are no failures",
               .written = host.mtbf.ns > 0},
              host.restart_after);
}

template <class Visitor, Described<HostSpec> T>
void describe(Visitor& visit, T& host) {
  visit.field({.key = "name", .doc = "name, used in placement and outputs", .required = true},
              host.name);
  visit.field({.key = "count",
               .doc = "number of such hosts; above 1 they are called name0, name1, ...",
               .least = 1,
               .most = kNodesMax},
              host.count);
  visit.field({.key = "cores", .doc = "processor cores", .least = 1, .most = 1024}, host.cores);
  describe_network(visit, host);
  visit.field({.key = "machine",
               .doc = "a machine file; left out: the calibration of this machine",
               .written = !host.machine.empty()},
              host.machine);
  visit.field({.key = "compute",
               .doc = "instead of a machine: time of each gradient on training.threads free cores",
               .above = 0,
               .most = 1e6,
               .written = host.compute.has_value()},
              host.compute);
  describe_roofline(visit, host.roofline);
  describe_messages(visit, host);
  describe_devices(visit, host);
  describe_failures(visit, host);
  visit.field(
      {.key = "price",
       .doc = "price of one host: 3.06 $/h, 0.90 EUR/h, 12.24 USD per hour, or 2.50 per hour "
              "without a currency; the same currency for all hosts",
       .least = 0,
       .most = 1e6,
       .written = host.price.per_hour > 0},
      host.price);
  visit.field({.key = "bought",
               .doc = "the price is a purchase price per hour of use; whatif --deadline tries such "
                      "hosts only by name (--hosts)",
               .used = host.price.per_hour > 0,
               .unused_because = "the host has no price",
               .written = host.bought},
              host.bought);
}

}  // namespace foretrain
