// The keys of a machine file that say how cores are shared.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/machine.h"

namespace foretrain {

/// What jobs lose to each other on cores. The keys stand among those of the machine.
template <class Visitor, Described<Machine> T>
void describe_scheduling(Visitor& visit, T& machine) {
  visit.field({.key = "slice",
               .doc = "how long a thread runs while another waits for its core",
               .above = 0,
               .most = 1e3},
              machine.slice);
  visit.field({.key = "contention",
               .doc = "compute takes this times as long while another core computes",
               .least = 1,
               .most = 1e3,
               .written = machine.contention > 1},
              machine.contention);
  visit.field({.key = "process_change",
               .doc = "what a core takes to go on with another process than it ran last",
               .least = 0,
               .most = 1},
              machine.process_change);
  visit.field({.key = "thread_change",
               .doc = "what a job takes longer that a thread beside the event loop computes; left "
                      "out: nothing",
               .least = 0,
               .most = 1,
               .written = machine.thread_change.ns > 0},
              machine.thread_change);
  visit.field(
      {.key = "resume",
       .doc = "what a gradient or an update takes longer at most that begins after messages: "
              "half its speed until then; left out: nothing",
       .least = 0,
       .most = 1,
       .written = machine.resume.ns > 0},
      machine.resume);
}

}  // namespace foretrain
