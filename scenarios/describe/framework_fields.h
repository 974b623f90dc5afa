// The keys of what other programs spend beside the work.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/framework.h"

namespace foretrain {

template <class Visitor, Described<FrameworkSpec> T>
void describe(Visitor& visit, T& framework) {
  visit.field({.key = "session_start",
               .doc = "of every node, before the first step; counts as start-up",
               .least = 0,
               .most = 1e6},
              framework.session_start);
  visit.field({.key = "chief_wait",
               .doc = "where workers go in step: they wait for the chief's session; start-up, too",
               .least = 0,
               .most = 1e6},
              framework.chief_wait);
  visit.field({.key = "step",
               .doc = "overhead of a gradient, on the worker's core",
               .least = 0,
               .most = 1e6},
              framework.step);
  visit.field({.key = "round",
               .doc = "overhead of a gradient, for each worker but one",
               .least = 0,
               .most = 1e3},
              framework.round);
  visit.field({.key = "tensor",
               .doc = "CPU time of a message beside what the machine says, on either side",
               .least = 0,
               .most = 1e3},
              framework.tensor);
  visit.field({.key = "evaluation",
               .doc = "whom one blocks: the chief, all workers, or nobody: it is done elsewhere",
               .choices = {"chief", "all", "nobody"}},
              framework.evaluation);
  visit.field({.key = "waiting_cores",
               .doc = "cores that a worker keeps busy while it does not compute",
               .least = 0,
               .most = 1024},
              framework.waiting_cores);
}

/// The keys stand among those of the data set.
template <class Visitor, Described<InputSpec> T>
void describe_input(Visitor& visit, T& input) {
  visit.field({.key = "served_by",
               .doc = "simulate: the host that ships each batch to its worker; left out: nobody",
               .written = !input.served_by.empty()},
              input.served_by);
  visit.field({.key = "read_rate",
               .doc = "simulate: of the disk that examples are read from; left out: from none",
               .least = 1e6,
               .most = 1e12,
               .written = input.read_rate.value > 0},
              input.read_rate);
  visit.field({.key = "parse",
               .doc = "simulate: CPU time of an example, at its worker; left out: none",
               .least = 0,
               .most = 1,
               .written = input.parse.ns > 0},
              input.parse);
  const bool moves = !input.served_by.empty() || input.read_rate.value > 0;
  visit.field({.key = "example_size",
               .doc = "simulate: as it is read, shipped; left out: its numbers, 4 bytes each",
               .least = 1,
               .most = 1e8,
               .used = moves,
               .unused_because = "only with served_by, read_rate is an example moved",
               .written = input.example_size.value > 0},
              input.example_size);
  visit.field({.key = "prefetch",
               .doc = "simulate: batches that are got while others are computed",
               .least = 0,
               .most = 1e6,
               .used = input.costs(),
               .unused_because = "only with served_by, read_rate, parse does input take time",
               .written = input.costs()},
              input.prefetch);
}

}  // namespace foretrain
