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
  visit.field({.key = "figure", .doc = "what was measured", .required = true}, measurement.figure);
  visit.field({.key = "spread",
               .doc = "half the interquartile range of its repetitions over their median",
               .least = 0,
               .most = 1e6,
               .required = true},
              measurement.spread);
  visit.field({.key = "repetitions", .doc = "of it", .least = 1, .most = 1e6, .required = true},
              measurement.repetitions);
}

/// These keys are written directly among those of the machine.
template <class Visitor, Described<Roofline> T>
void describe_roofline(Visitor& visit, T& roofline) {
  visit.field({.key = "gflops",
               .doc = "10^9 operations a second of a worker: for models that were not measured",
               .least = 0,
               .most = 1e9,
               .written = roofline.described()},
              roofline.gflops);
  const std::string_view only_described = "only with gflops are FLOPs and bytes turned into time";
  visit.field({.key = "memory_bandwidth",
               .doc = "with gflops: rate at which a worker moves memory; left out: never the bound",
               .least = 0,
               .most = 1e15,
               .used = roofline.described(),
               .unused_because = only_described,
               .written = roofline.memory_bandwidth.value > 0},
              roofline.memory_bandwidth);
  visit.field({.key = "overhead",
               .doc = "with gflops: time of a job however small",
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
  visit.field(
      {.key = "median", .doc = "over the measurements", .above = 0, .most = 1e3, .required = true},
      times.median);
  visit.field(
      {.key = "fastest", .doc = "5th percentile", .above = 0, .most = 1e3, .required = true},
      times.fastest);
  visit.field(
      {.key = "slowest", .doc = "95th percentile", .above = 0, .most = 1e3, .required = true},
      times.slowest);
}

template <class Visitor, Described<CoresSeen> T>
void describe(Visitor& visit, T& seen) {
  visit.section(
      {.key = "alone", .doc = "what the reference kernel took on one core", .required = true},
      seen.alone);
  visit.section({.key = "together",
                 .doc = "what it took on all cores at once",
                 .written = seen.together != ReferenceTimes{}},
                seen.together);
}

template <class Visitor, Described<Machine> T>
void describe(Visitor& visit, T& machine) {
  visit.field({.key = "name", .doc = "of the machine", .required = true}, machine.name);
  visit.field(
      {.key = "cores", .doc = "processor cores", .least = 1, .most = 1024, .required = true},
      machine.cores);
  visit.field({.key = "kernel_set",
               .doc = "vector instructions that compute was measured with, by which a gradient's "
                      "scratch is counted"},
              machine.kernel_set);
  describe_scheduling(visit, machine);
  visit.field({.key = "memory_base",
               .doc = "resident memory of a node's process beside what the training holds",
               .least = 0,
               .most = 1e12},
              machine.memory_base);
  visit.section({.key = "loopback", .doc = "messages within the machine"}, machine.loopback);
  visit.section(
      {.key = "emulated",
       .doc = "messages between networks that the machine emulates; left out: as loopback",
       .written = machine.emulated != EmulatedCost{}},
      machine.emulated);
  visit.section({.key = "memory",
                 .doc = "caches, and what a byte takes that is not in the core's own; left out: "
                        "every byte is there",
                 .written = machine.memory.known()},
                machine.memory);
  visit.section({.key = "apply", .doc = "reduce and apply, by bytes of memory moved"},
                machine.apply);
  describe_disk(visit, machine);
  describe_roofline(visit, machine.roofline);
  visit.section({.key = "cores_seen",
                 .doc = "how fast its cores were while it was measured, how far apart",
                 .written = machine.cores_seen.known()},
                machine.cores_seen);
  visit.field({.key = "others_used",
               .doc = "share of the machine that others used while it was measured, so its figures "
                      "are noisy; left out: it was idle",
               .least = 0,
               .most = 1,
               .written = machine.others_used > 0,
               .share = true},
              machine.others_used);
  visit.field({.key = "date",
               .doc = "of the measurements: 2026-11-22; left out: written by hand",
               .written = !machine.date.empty()},
              machine.date);
  visit.list({.key = "measurements",
              .doc = "how sure each measured figure is",
              .written = !machine.measurements.empty()},
             machine.measurements);
  visit.field({.key = "not_measured",
               .doc = "what stands at its default",
               .written = !machine.not_measured.empty()},
              machine.not_measured);
  visit.table({.key = "models", .doc = "compute on one core, by model"}, machine.models);
}

}  // namespace foretrain
