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
               .doc = "additional time of each tensor (variable) that the server has",
               .least = 0,
               .most = 1e6,
               .written = cost.per_tensor_s > 0,
               .seconds = true},
              cost.per_tensor_s);
}

template <class Visitor, Described<FrameworkSpec> T>
void describe_session(Visitor& visit, T& framework) {
  visit.field({.key = "session_host",
               .doc = "the host where all clients open their session: batches and test sets that "
                      "others feed pass it; left out: clients feed their own host",
               .written = !framework.session_host.empty()},
              framework.session_host);
  visit.field({.key = "feed",
               .doc = "time of one core of session_host per byte that another host feeds",
               .least = 0,
               .most = 1e-3,
               .used = !framework.session_host.empty(),
               .unused_because = "nothing is fed from other hosts; write framework.session_host",
               .written = framework.feed_s > 0,
               .seconds = true},
              framework.feed_s);
}

template <class Visitor, Described<FrameworkSpec> T>
void describe(Visitor& visit, T& framework) {
  visit.field({.key = "session_start",
               .doc = "time of every node before the first step; counts as start-up",
               .least = 0,
               .most = 1e6},
              framework.session_start);
  visit.field({.key = "chief_wait",
               .doc = "with synchronous strategies workers wait this long for the chief's session; "
                      "counts as start-up",
               .least = 0,
               .most = 1e6},
              framework.chief_wait);
  visit.field({.key = "step",
               .doc = "overhead per batch of a gradient, on the worker's core",
               .least = 0,
               .most = 1e6},
              framework.step);
  visit.field(
      {.key = "update",
       .doc =
           "overhead per gradient (all its batches), on the worker's core, such as the optimizer",
       .least = 0,
       .most = 1e6},
      framework.update);
  visit.field({.key = "example",
               .doc = "overhead per example, on the worker's core, such as input",
               .least = 0,
               .most = 1e3},
              framework.example);
  visit.field({.key = "round",
               .doc = "overhead per gradient for each other worker",
               .least = 0,
               .most = 1e3},
              framework.round);
  visit.field({.key = "collective",
               .doc = "time to launch the collective of a bucket; launches are one after another, "
                      "in parallel with compute",
               .least = 0,
               .most = 1e3},
              framework.collective);
  visit.section({.key = "message",
                 .doc = "additional CPU time of a message, on either side, by its bytes",
                 .written = framework.message != AffineCost{}},
                framework.message);
  visit.section({.key = "server",
                 .doc = "additional CPU time of a gradient at a server, by bytes and tensors",
                 .written = framework.server != ServerCost{}},
                framework.server);
  visit.field({.key = "evaluation",
               .doc = "who waits for an evaluation: the chief, all workers, or nobody, if it is "
                      "done elsewhere",
               .choices = {"chief", "all", "nobody"}},
              framework.evaluation);
  visit.field({.key = "waiting_cores",
               .doc = "number of cores that a worker keeps busy while it waits",
               .least = 0,
               .most = 1024},
              framework.waiting_cores);
  describe_session(visit, framework);
}

}  // namespace foretrain
