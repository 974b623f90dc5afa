// The keys of a scenario file.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/language/scalars.h"
#include "scenarios/spec/cluster_fields.h"
#include "scenarios/spec/dataset_fields.h"
#include "scenarios/spec/fault_fields.h"
#include "scenarios/spec/framework_fields.h"
#include "scenarios/spec/model_fields.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/spec/training_fields.h"

namespace foretrain {

template <class Visitor, Described<Scenario> T>
void describe_data(Visitor& visit, T& scenario) {
  const Field dataset{.key = "dataset", .doc = "what is learned from"};
  if (!scenario.model.profiled()) return visit.section(dataset, scenario.dataset);
  CountedDataset counted{scenario.dataset};
  visit.section(dataset, counted);
  if constexpr (!std::is_const_v<T>) scenario.dataset = counted.spec;
}

template <class Visitor, Described<Scenario> T>
void describe(Visitor& visit, T& scenario) {
  visit.field({.key = "name", .doc = "name; left out: that of the file"}, scenario.name);
  visit.field(
      {.key = "question", .doc = "the question that it answers, for readers", .lines = true},
      scenario.question);
  visit.field({.key = "seed", .doc = "seed of all random numbers but the data set's"},
              scenario.seed);
  visit.section({.key = "model",
                 .doc = "what is trained: a network by name, a list of layers, a profile",
                 .shorthand = "name",
                 .list_shorthand = "layers"},
                scenario.model);
  describe_data(visit, scenario);
  visit.section({.key = "training", .doc = "how it is trained; one of steps, epochs, updates"},
                scenario.training);
  visit.section({.key = "cluster",
                 .doc = "the machines of the forecast; left out: this machine",
                 .written = !scenario.cluster.hosts.empty(),
                 .shorthand = "hosts"},
                scenario.cluster);
  visit.section({.key = "transport",
                 .doc = "tuning of processes and sockets of a run",
                 .written = scenario.transport != TransportSpec{}},
                scenario.transport);
  describe_checkpoint(visit, scenario);
  visit.field({.key = "numerics",
               .doc = "simulate: compute real gradients; off (always for a profile): only times"},
              scenario.numerics);
  visit.section({.key = "framework",
                 .doc = "simulate: overhead of another program; left out: none",
                 .written = scenario.framework != FrameworkSpec{},
                 .shorthand = "like",
                 .library = "frameworks"},
                scenario.framework);
  visit.list({.key = "stragglers",
              .doc = "slows the compute of gradients, or pauses workers",
              .written = !scenario.stragglers.empty()},
             scenario.stragglers);
  visit.list({.key = "faults",
              .doc = "single events: nodes that die, stop or lose their connection",
              .written = !scenario.faults.empty()},
             scenario.faults);
  visit.list({.key = "neighbours",
              .doc = "simulate: other trainings that share hosts and network",
              .written = !scenario.colocated_jobs.empty()},
             scenario.colocated_jobs);
}

}  // namespace foretrain
