// The keys of a machine file.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/machine.h"

namespace foretrain {

template <class Visitor, Described<AffineCost> T>
void describe(Visitor& visit, T& cost) {
  visit.field({.key = "overhead",
               .doc = "time however small the count",
               .least = 0,
               .most = 1e6,
               .required = true,
               .seconds = true},
              cost.overhead_s);
  visit.field({.key = "per_item",
               .doc = "time that each item adds",
               .least = 0,
               .most = 1e6,
               .required = true,
               .seconds = true},
              cost.per_item_s);
}

template <class Visitor, Described<BatchTime> T>
void describe(Visitor& visit, T& row) {
  visit.field({.key = "examples", .doc = "of the batch", .least = 1, .most = 1e7, .required = true},
              row.examples);
  visit.field({.key = "time", .doc = "of its gradient", .least = 0, .most = 1e6, .required = true},
              row.time);
}

template <class Visitor, Described<ModelCost> T>
void describe(Visitor& visit, T& model) {
  visit.list({.key = "gradient_times",
              .doc = "instead of gradient: a table over batch sizes, ascending",
              .written = !model.gradient_times.empty()},
             model.gradient_times);
  const bool tabled = !model.gradient_times.empty();
  visit.section({.key = "gradient",
                 .doc = "of a batch, by examples",
                 .required = true,
                 .used = !tabled,
                 .unused_because = "gradient_times says it too"},
                model.gradient);
  visit.section(
      {.key = "evaluate", .doc = "of a part of the test set, by examples", .required = true},
      model.evaluate);
  visit.field({.key = "gradient_jitter",
               .doc = "standard deviation of the logarithm of a gradient's time",
               .least = 0,
               .most = 1},
              model.gradient_jitter);
}

template <class Visitor, Described<TransportCost> T>
void describe(Visitor& visit, T& transport) {
  visit.section({.key = "send", .doc = "CPU time of a message, by bytes", .required = true},
                transport.send);
  visit.section({.key = "receive", .doc = "CPU time of a message, by bytes", .required = true},
                transport.receive);
  visit.field({.key = "handoff",
               .doc = "until a receiver that polls begins to receive",
               .least = 0,
               .most = 1e3,
               .required = true},
              transport.handoff);
  visit.field({.key = "wake",
               .doc = "until a receiver that sleeps on an idle core does",
               .least = 0,
               .most = 1e3,
               .required = true},
              transport.wake);
  visit.field({.key = "poll",
               .doc = "how long a receiver polls before it sleeps",
               .least = 0,
               .most = 1e3,
               .required = true},
              transport.poll);
}

/// The keys stand among those of the machine.
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

template <class Visitor, Described<Machine> T>
void describe(Visitor& visit, T& machine) {
  visit.field({.key = "name", .doc = "of the machine", .required = true}, machine.name);
  visit.field(
      {.key = "cores", .doc = "processor cores", .least = 1, .most = 1024, .required = true},
      machine.cores);
  visit.field({.key = "kernel_set", .doc = "vector instructions that compute was measured with"},
              machine.kernel_set);
  visit.field({.key = "slice",
               .doc = "how long a thread runs while another waits for its core",
               .above = 0,
               .most = 1e3},
              machine.slice);
  visit.field({.key = "contention",
               .doc = "compute takes this times as long while another core computes",
               .least = 1,
               .most = 1e3},
              machine.contention);
  visit.field({.key = "memory_base",
               .doc = "resident memory of a node's process beside what the training holds",
               .least = 0,
               .most = 1e9},
              machine.memory_base);
  visit.section({.key = "loopback", .doc = "messages within the machine"}, machine.loopback);
  visit.section({.key = "apply", .doc = "reduce and apply, by bytes of memory moved"},
                machine.apply);
  describe_roofline(visit, machine.roofline);
  visit.table({.key = "models", .doc = "compute on one core, by model"}, machine.models);
}

}  // namespace foretrain
