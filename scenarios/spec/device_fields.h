// The keys of a host's accelerators.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/machine_fields.h"
#include "scenarios/spec/scenario.h"

#include <string>
#include <type_traits>
#include <vector>

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

template <class Visitor, Described<PrecisionSpec> T>
void describe(Visitor& visit, T& precision) {
  visit.field({.key = "name",
               .doc = "format of the numbers",
               .choices = precision_names(),
               .required = true},
              precision.name);
  visit.field({.key = "gflops",
               .doc = "10^9 operations per second, from its data sheet, without sparsity",
               .above = 0,
               .most = 1e9,
               .required = true},
              precision.gflops);
  visit.field({.key = "share",
               .doc = "share of it that large matrix products reach; left out: 0.7",
               .least = 0,
               .most = 1,
               .written = precision.share > 0},
              precision.share);
  visit.field({.key = "half_size",
               .doc = "edge of a product that reaches half of that; without a share: 30",
               .least = 0,
               .most = 1e6,
               .used = precision.share > 0,
               .unused_because = "it belongs to a share",
               .written = precision.half_size > 0},
              precision.half_size);
  visit.field({.key = "attention",
               .doc = "share of the peak that fused attention reaches; left out: 0.3",
               .least = 0,
               .most = 1,
               .written = precision.attention > 0},
              precision.attention);
  visit.field({.key = "fitted",
               .doc = "measured trainings on this device gave these shares",
               .used = precision.share > 0,
               .unused_because = "it belongs to a share",
               .written = precision.fitted},
              precision.fitted);
}

template <class Visitor, Described<DeviceSpec> T>
void describe(Visitor& visit, T& device) {
  std::conditional_t<std::is_const_v<T>, const Roofline, Roofline>& rates = device;
  describe_roofline(visit, rates);
  visit.field({.key = "memory",
               .doc = "its memory, such as 40 GiB; left out: nothing is compared with it",
               .least = 0,
               .most = 1e15,
               .written = device.memory.value > 0},
              device.memory);
  visit.list({.key = "precisions",
              .doc = "peaks by the format of numbers, for networks by name",
              .written = !device.precisions.empty(),
              .shorthand = "name"},
             device.precisions);
  const auto loss = [](std::string_view key, std::string_view doc, double value) {
    return Field{
        .key = key, .doc = doc, .least = 0, .most = 10, .written = value > 0, .share = true};
  };
  visit.field(loss("variation",
                   "spread of equal devices, such as 1.6 %: workers in lockstep wait for the "
                   "slowest of them",
                   device.variation),
              device.variation);
  visit.field(
      loss("together", "a gradient takes this much longer if several devices of a host compute",
           device.together),
      device.together);
  visit.field(loss("slowed_by_collectives",
                   "computing takes this much longer while it exchanges messages with devices",
                   device.slowed_by_collectives),
              device.slowed_by_collectives);
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
  visit.section(
      {.key = "device",
       .doc = "rates of each device: gflops, memory_bandwidth, overhead, precisions; its memory",
       .used = host.devices > 0,
       .unused_because = no_devices,
       .written = host.device != DeviceSpec{},
       .shorthand = "like",
       .library = "devices"},
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

}  // namespace foretrain
