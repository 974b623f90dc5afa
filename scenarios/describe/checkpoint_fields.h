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
  visit.field({.key = "write_rate", .doc = "simulate: bytes that a node's disk takes", .above = 0},
              checkpoint.write_rate);
  visit.field({.key = "write_latency",
               .doc = "simulate: what a file takes beside its bytes until the disk has it",
               .least = 0,
               .most = 60},
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
