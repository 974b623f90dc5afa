// The keys of a scenario's checkpoints.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/scenario.h"

namespace foretrain {

template <class Visitor, Described<CheckpointSpec> T>
void describe(Visitor& visit, T& checkpoint) {
  visit.field({.key = "every",
               .doc = "how often each node keeps its state: 500 steps of a worker, or 60 s",
               .required = true},
              checkpoint.every);
  visit.field({.key = "keep",
               .doc = "so many of the newest stay in the run's folder",
               .least = 1,
               .most = 1e6},
              checkpoint.keep);
  visit.field({.key = "write_rate",
               .doc = "simulate: bytes of a node's part that its disk takes, copying and hash "
                      "included; left out: as the host's machine says, else 4.8 Gbps",
               .above = 0,
               .written = checkpoint.write_rate.value > 0},
              checkpoint.write_rate);
  visit.field({.key = "write_latency",
               .doc = "simulate: what a part takes beside its bytes; left out: as the host's "
                      "machine says, else 3 ms",
               .least = 0,
               .most = 60,
               .written = checkpoint.write_latency.has_value()},
              checkpoint.write_latency);
}

template <class Visitor, Described<Scenario> T>
void describe_checkpoint(Visitor& visit, T& scenario) {
  visit.section({.key = "checkpoint",
                 .doc = "the states of all nodes are kept, so that run --resume goes on from them",
                 .written = scenario.checkpoint != CheckpointSpec{},
                 .shorthand = "every"},
                scenario.checkpoint);
}

}  // namespace foretrain
