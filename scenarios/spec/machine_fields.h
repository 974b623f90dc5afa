// The keys of a machine file.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/memory_fields.h"
#include "scenarios/spec/model_cost_fields.h"
#include "scenarios/spec/transport_cost_fields.h"

namespace foretrain {

template <class Visitor, Described<Measurement> T>
void describe(Visitor& visit, T& measurement) {
  visit.field({.key = "figure", .doc = "name of the figure that was measured", .required = true},
              measurement.figure);
  visit.field({.key = "spread",
               .doc = "half the interquartile range of the repetitions, divided by their median",
               .least = 0,
               .most = 1e6,
               .required = true},
              measurement.spread);
  visit.field({.key = "repetitions",
               .doc = "number of its measurements",
               .least = 1,
               .most = 1e6,
               .required = true},
              measurement.repetitions);
}

/// These keys are written directly among those of the machine.
template <class Visitor, Described<Roofline> T>
void describe_roofline(Visitor& visit, T& roofline) {
  visit.field({.key = "gflops",
               .doc = "10^9 operations per second of a worker, for models that were not measured",
               .least = 0,
               .most = 1e9,
               .written = roofline.described()},
              roofline.gflops);
  const std::string_view only_described = "only with gflops are FLOPs and bytes turned into time";
  visit.field({.key = "memory_bandwidth",
               .doc = "with gflops: memory bandwidth of a worker; left out: never the bottleneck",
               .least = 0,
               .most = 1e15,
               .used = roofline.described(),
               .unused_because = only_described,
               .written = roofline.memory_bandwidth.value > 0},
              roofline.memory_bandwidth);
  visit.field(
      {.key = "overhead",
       .doc =
           "with gflops: time of a job in addition to its FLOPs and bytes, such as a kernel launch",
       .least = 0,
       .most = 1e3,
       .used = roofline.described(),
       .unused_because = only_described,
       .written = roofline.overhead.ns > 0},
      roofline.overhead);
}

template <class Visitor, Described<Roofline> T>
void describe(Visitor& visit, T& roofline) {
  describe_roofline(visit, roofline);
}

template <class Visitor, Described<ReferenceTimes> T>
void describe(Visitor& visit, T& times) {
  visit.field({.key = "median",
               .doc = "median of the measurements",
               .above = 0,
               .most = 1e3,
               .required = true},
              times.median);
  visit.field({.key = "fastest",
               .doc = "5th percentile of the measurements",
               .above = 0,
               .most = 1e3,
               .required = true},
              times.fastest);
  visit.field({.key = "slowest",
               .doc = "95th percentile of the measurements",
               .above = 0,
               .most = 1e3,
               .required = true},
              times.slowest);
}

template <class Visitor, Described<CoresSeen> T>
void describe(Visitor& visit, T& seen) {
  visit.section(
      {.key = "alone", .doc = "times of the reference kernel on one core", .required = true},
      seen.alone);
  visit.section({.key = "together",
                 .doc = "times of the reference kernel on all cores at once",
                 .written = seen.together != ReferenceTimes{}},
                seen.together);
}

template <class Visitor, Described<Machine> T>
void describe(Visitor& visit, T& machine) {
  visit.field({.key = "name", .doc = "name of the machine", .required = true}, machine.name);
  visit.field(
      {.key = "cores", .doc = "processor cores", .least = 1, .most = 1024, .required = true},
      machine.cores);
  visit.field({.key = "kernel_set",
               .doc = "vector instructions that compute was measured with; they decide the scratch "
                      "memory of a gradient"},
              machine.kernel_set);
  describe_scheduling(visit, machine);
  visit.field({.key = "memory_base",
               .doc = "resident memory of a node's process without its training",
               .least = 0,
               .most = 1e12},
              machine.memory_base);
  visit.section({.key = "loopback", .doc = "cost of messages within the machine"},
                machine.loopback);
  visit.section({.key = "emulated",
                 .doc = "cost of messages between networks that the machine emulates; left out: "
                        "that of loopback",
                 .written = machine.emulated != EmulatedCost{}},
                machine.emulated);
  visit.section({.key = "memory",
                 .doc = "caches, and the time of bytes that are not in the core's private cache; "
                        "left out: all are",
                 .written = machine.memory.known()},
                machine.memory);
  visit.section({.key = "apply",
                 .doc = "time to reduce gradients or apply updates, by bytes of memory moved"},
                machine.apply);
  describe_disk(visit, machine);
  describe_roofline(visit, machine.roofline);
  visit.section({.key = "cores_seen",
                 .doc = "speed of the cores during the calibration, and its variation",
                 .written = machine.cores_seen.known()},
                machine.cores_seen);
  visit.field({.key = "others_used",
               .doc = "share of CPU time that other programs used during the calibration, which "
                      "makes its figures noisy; left out: none",
               .least = 0,
               .most = 1,
               .written = machine.others_used > 0,
               .share = true},
              machine.others_used);
  visit.field(
      {.key = "date",
       .doc =
           "date of the measurements, such as 2026-11-22; left out: the file was written by hand",
       .written = !machine.date.empty()},
      machine.date);
  visit.list({.key = "measurements",
              .doc = "uncertainty of each measured figure",
              .written = !machine.measurements.empty()},
             machine.measurements);
  visit.field({.key = "not_measured",
               .doc = "figures that have their default, with the reason",
               .written = !machine.not_measured.empty()},
              machine.not_measured);
  visit.table({.key = "models", .doc = "times of compute on one core, by model"}, machine.models);
}

}  // namespace foretrain
