// The keys of another program's overhead.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/spec/framework.h"
#include "scenarios/spec/model_cost_fields.h"

#include <type_traits>

namespace foretrain {

template <class Visitor, Described<ServerCost> T>
void describe(Visitor& visit, T& cost) {
  std::conditional_t<std::is_const_v<T>, const AffineCost, AffineCost>& by_bytes = cost;
  describe(visit, by_bytes);
  visit.field({.key = "per_tensor",
               .doc = "time that each tensor (variable) of the network adds that the server has",
               .least = 0,
               .most = 1e6,
               .written = cost.per_tensor_s > 0,
               .seconds = true},
              cost.per_tensor_s);
}

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
               .doc = "overhead of each batch of a gradient, on the worker's core",
               .least = 0,
               .most = 1e6},
              framework.step);
  visit.field(
      {.key = "update",
       .doc = "overhead of a gradient, once for all of its batches, on the worker's core: its "
              "optimizer",
       .least = 0,
       .most = 1e6},
      framework.update);
  visit.field({.key = "example",
               .doc = "overhead of each example of a gradient, on the worker's core: its input",
               .least = 0,
               .most = 1e3},
              framework.example);
  visit.field({.key = "round",
               .doc = "overhead of a gradient, for each worker but one",
               .least = 0,
               .most = 1e3},
              framework.round);
  visit.field({.key = "collective",
               .doc = "of a bucket that workers add up among themselves: until it has started, one "
                      "after another; beside what is computed",
               .least = 0,
               .most = 1e3},
              framework.collective);
  visit.field({.key = "tensor",
               .doc = "CPU time of a message beside what the machine says, on either side",
               .least = 0,
               .most = 1e3},
              framework.tensor);
  visit.section(
      {.key = "server",
       .doc = "CPU time of a gradient at a server, by its bytes and tensors, beside adding it up",
       .written = framework.server != ServerCost{}},
      framework.server);
  visit.field({.key = "server_threads",
               .doc = "of a server, that do that side by side",
               .least = 1,
               .most = 1024,
               .used = framework.server != ServerCost{},
               .unused_because = "servers cost nothing; write framework.server",
               .written = framework.server_threads > 1},
              framework.server_threads);
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

}  // namespace foretrain
