// The keys of a scenario's hosts.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/machine_fields.h"
#include "scenarios/spec/scenario.h"

namespace foretrain {

template <class Visitor, Described<DeviceLinkSpec> T>
void describe(Visitor& visit, T& link) {
  visit.field({.key = "rate",
               .doc = "each direction, of each device; left out: it costs no time",
               .least = 0,
               .most = 1e15},
              link.rate);
  visit.field({.key = "latency", .doc = "one way", .least = 0, .most = 1000}, link.latency);
  visit.field({.key = "shared", .doc = "one link for all devices of the host, as of a PCIe root"},
              link.shared);
}

template <class Visitor, Described<MeasuredNetwork> T>
void describe(Visitor& visit, T& row) {
  visit.field({.key = "network",
               .doc = "what model.profile_network calls it: resnet50, resnet50_amp",
               .required = true},
              row.network);
  visit.field({.key = "batch_size",
               .doc = "examples a gradient; other sizes are straight between two rows",
               .least = 1,
               .most = 1e7,
               .required = true},
              row.batch_size);
  visit.field({.key = "examples_per_s",
               .doc = "that one device trains, alone",
               .above = 0,
               .most = 1e12,
               .required = true},
              row.examples_per_s);
}

/// Accelerators of a host.
template <class Visitor, Described<HostSpec> T>
void describe_devices(Visitor& visit, T& host) {
  visit.field({.key = "devices",
               .doc = "simulate: accelerators, one for each worker there; 0: its cores compute",
               .least = 0,
               .most = 1024,
               .written = host.devices > 0},
              host.devices);
  const std::string_view no_devices = "the host has no devices";
  visit.field({.key = "device_name",
               .doc = "the chip of each of them, a word of what drivers call it: V100, A100; by it "
                      "import finds what a trace was measured on",
               .used = host.devices > 0,
               .unused_because = no_devices,
               .written = !host.device_name.empty()},
              host.device_name);
  visit.section({.key = "device",
                 .doc = "what each of them can do: gflops, memory_bandwidth, overhead",
                 .used = host.devices > 0,
                 .unused_because = no_devices,
                 .written = host.device.described()},
                host.device);
  visit.field({.key = "device_updates",
               .doc = "workers without servers update by its memory_bandwidth; off: on a core",
               .used = host.device.described() && host.device.memory_bandwidth.value > 0,
               .unused_because = "the host has no device with a memory_bandwidth",
               .written = host.device_updates},
              host.device_updates);
  visit.section({.key = "device_link",
                 .doc = "what joins them: NVLink, PCIe",
                 .used = host.devices > 0,
                 .unused_because = no_devices,
                 .written = host.device_link != DeviceLinkSpec{}},
                host.device_link);
  visit.list({.key = "measured",
              .doc = "what one of them was measured to train; rows of other networks than "
                     "model.profile_network do not count",
              .used = host.devices > 0,
              .unused_because = no_devices,
              .written = !host.measured.empty()},
             host.measured);
}

template <class Visitor, Described<HostSpec> T>
void describe_network(Visitor& visit, T& host) {
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
  visit.field({.key = "flow_rate",
               .doc = "simulate: the most that one connection carries; left out: all there is",
               .above = 0,
               .most = 1e15,
               .written = host.flow_rate.value > 0},
              host.flow_rate);
  visit.field({.key = "ports",
               .doc = "simulate: network ports that share the nic; sums and gathers among workers "
                      "use all of them at once, a flow_rate each, as NCCL's rings do",
               .least = 1,
               .most = 1024,
               .used = host.flow_rate.value > 0,
               .unused_because = "without a flow_rate one connection carries all there is",
               .written = host.ports > 1},
              host.ports);
  visit.field({.key = "transport",
               .doc = "simulate: rdma: between two such hosts the network cards move messages: no "
                      "CPU time, no headers of TCP, no slow start; tcp: the kernel does",
               .choices = {"tcp", "rdma"},
               .written = host.rdma()},
              host.transport);
}

template <class Visitor, Described<HostSpec> T>
void describe_messages(Visitor& visit, T& host) {
  visit.section(
      {.key = "send",
       .doc = "TCP's CPU time of a message, by bytes; left out: as the machine says, or none",
       .written = host.send != AffineCost{}},
      host.send);
  visit.section(
      {.key = "receive",
       .doc = "TCP's CPU time of a message, by bytes; left out: as the machine says, or none",
       .written = host.receive != AffineCost{}},
      host.receive);
}

template <class Visitor, Described<HostSpec> T>
void describe_failures(Visitor& visit, T& host) {
  visit.field({.key = "mtbf",
               .doc = "simulate: mean time between failures of one of them, 6 h; each sets the "
                      "training back to its last checkpoint, or costs no more than the workers "
                      "there, where the strategy takes such back; left out: never",
               .least = 1,
               .most = 1e9,
               .written = host.mtbf.ns > 0},
              host.mtbf);
  visit.field({.key = "restart_after",
               .doc = "simulate: from a failure until what it took is back",
               .least = 0,
               .most = 1e6,
               .used = host.mtbf.ns > 0,
               .unused_because = "without mtbf it never fails",
               .written = host.mtbf.ns > 0},
              host.restart_after);
}

template <class Visitor, Described<HostSpec> T>
void describe(Visitor& visit, T& host) {
  visit.field({.key = "name", .doc = "for placement, for people", .required = true}, host.name);
  visit.field({.key = "count",
               .doc = "above 1: as many hosts, called name0, name1, ...",
               .least = 1,
               .most = kNodesMax},
              host.count);
  visit.field({.key = "cores", .doc = "processor cores", .least = 1, .most = 1024}, host.cores);
  describe_network(visit, host);
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
  describe_messages(visit, host);
  describe_devices(visit, host);
  describe_failures(visit, host);
  visit.field(
      {.key = "price",
       .doc = "what one of them costs: 3.06 $/h, 0.90 EUR/h, 12.24 USD per hour, or 2.50 per "
              "hour in any currency; all of a cluster in the same one",
       .least = 0,
       .most = 1e6,
       .written = host.price.per_hour > 0},
      host.price);
  visit.field({.key = "bought",
               .doc = "the price is what it cost to buy, over the hours that it is kept: whatif "
                      "--deadline, which asks what to rent, tries it where --hosts names it",
               .used = host.price.per_hour > 0,
               .unused_because = "the host has no price",
               .written = host.bought},
              host.bought);
}

}  // namespace foretrain
