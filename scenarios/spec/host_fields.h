// The keys of a scenario's hosts.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/machine_fields.h"
#include "scenarios/spec/scenario.h"

namespace foretrain {

template <class Visitor, Described<DeviceLinkSpec> T>
void describe(Visitor& visit, T& link) {
  visit.field({.key = "rate",
               .doc = "rate per device and direction; left out: transfers take no time",
               .least = 0,
               .most = 1e15},
              link.rate);
  visit.field({.key = "latency", .doc = "latency one way", .least = 0, .most = 1000}, link.latency);
  visit.field(
      {.key = "shared", .doc = "all devices of the host share one link, such as a PCIe root"},
      link.shared);
}

template <class Visitor, Described<MeasuredNetwork> T>
void describe(Visitor& visit, T& row) {
  visit.field({.key = "network",
               .doc = "name for model.profile_network, such as resnet50, resnet50_amp",
               .required = true},
              row.network);
  visit.field({.key = "batch_size",
               .doc = "batch size; other sizes are interpolated between two rows",
               .least = 1,
               .most = 1e7,
               .required = true},
              row.batch_size);
  visit.field({.key = "examples_per_s",
               .doc = "measured training rate of one device alone",
               .above = 0,
               .most = 1e12,
               .required = true},
              row.examples_per_s);
}

/// Accelerators of a host.
template <class Visitor, Described<HostSpec> T>
void describe_devices(Visitor& visit, T& host) {
  visit.field({.key = "devices",
               .doc = "simulate: number of accelerators, one per worker; 0: the cores compute",
               .least = 0,
               .most = 1024,
               .written = host.devices > 0},
              host.devices);
  const std::string_view no_devices = "the host has no devices";
  visit.field({.key = "device_name",
               .doc = "name of the chip as in drivers: V100, A100; import looks for it in traces",
               .used = host.devices > 0,
               .unused_because = no_devices,
               .written = !host.device_name.empty()},
              host.device_name);
  visit.section({.key = "device",
                 .doc = "rates of each device: gflops, memory_bandwidth, overhead",
                 .used = host.devices > 0,
                 .unused_because = no_devices,
                 .written = host.device.described()},
                host.device);
  visit.field({.key = "device_updates",
               .doc = "workers without servers apply updates on the device; off: on a core",
               .used = host.device.described() && host.device.memory_bandwidth.value > 0,
               .unused_because = "the host has no device with a memory_bandwidth",
               .written = host.device_updates},
              host.device_updates);
  visit.section({.key = "device_link",
                 .doc = "link between the devices: NVLink, PCIe",
                 .used = host.devices > 0,
                 .unused_because = no_devices,
                 .written = host.device_link != DeviceLinkSpec{}},
                host.device_link);
  visit.list({.key = "measured",
              .doc = "measured training rates of one device, for model.profile_network",
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
