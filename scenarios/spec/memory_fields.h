// The keys of a machine's memory, its disk, its scheduler.
#pragma once

#include "models/cost/caches.h"
#include "scenarios/language/field.h"
#include "scenarios/spec/disk_cost.h"
#include "scenarios/spec/machine.h"

namespace foretrain {

template <class Visitor, Described<MemoryHierarchy> T>
void describe(Visitor& visit, T& memory) {
  visit.field(
      {.key = "private_cache", .doc = "of each core", .above = 0, .most = 1e12, .required = true},
      memory.private_cache);
  visit.field({.key = "shared_cache", .doc = "of all cores together", .least = 0, .most = 1e12},
              memory.shared_cache);
  visit.field({.key = "shared_byte",
               .doc = "what a byte takes that is in the shared cache alone",
               .least = 0,
               .most = 1,
               .seconds = true},
              memory.shared_byte_s);
  visit.field({.key = "memory_byte",
               .doc = "what a byte takes that is in no cache",
               .least = 0,
               .most = 1,
               .seconds = true},
              memory.memory_byte_s);
  visit.field({.key = "copied_byte",
               .doc = "what a byte of a message takes more, on either side, that no cache holds",
               .least = 0,
               .most = 1,
               .required = true,
               .seconds = true},
              memory.copied_byte_s);
  visit.field({.key = "fresh_byte",
               .doc = "what a byte takes that its process never touched",
               .least = 0,
               .most = 1,
               .seconds = true},
              memory.fresh_byte_s);
  visit.field({.key = "bandwidth",
               .doc = "of memory, all cores together; left out: never the bound",
               .least = 0,
               .most = 1e15,
               .written = memory.bandwidth.value > 0},
              memory.bandwidth);
  visit.field({.key = "neighbours",
               .doc = "what others, as those of a virtual machine, bring into the shared cache; "
                      "left out: nothing",
               .least = 0,
               .most = 1e15,
               .written = memory.background_traffic.value > 0},
              memory.background_traffic);
}

template <class Visitor, Described<DiskCost> T>
void describe(Visitor& visit, T& disk) {
  visit.field({.key = "write_rate",
               .doc = "bytes of a node's part of a checkpoint, all together: copying, hash, write, "
                      "fsync",
               .above = 0,
               .most = 1e15,
               .required = true},
              disk.write_rate);
  visit.field({.key = "write_latency",
               .doc = "what a part takes beside its bytes; left out: nothing",
               .least = 0,
               .most = 1e6},
              disk.write_latency);
}

template <class Visitor, Described<Machine> T>
void describe_disk(Visitor& visit, T& machine) {
  visit.section({.key = "disk",
                 .doc = "what a node's part of a checkpoint takes; left out: as a fast disk",
                 .written = machine.disk.known()},
                machine.disk);
}

/// The losses of jobs that share cores. These keys are written directly among those of the machine.
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
              machine.context_switch);
  visit.field({.key = "thread_change",
               .doc = "what a job takes longer that a thread beside the event loop computes; left "
                      "out: nothing",
               .least = 0,
               .most = 1,
               .written = machine.thread_handoff.ns > 0},
              machine.thread_handoff);
  visit.field(
      {.key = "resume",
       .doc = "what a gradient or an update takes longer at most that begins after messages: "
              "half its speed until then; left out: nothing",
       .least = 0,
       .most = 1,
       .written = machine.warm_up.ns > 0},
      machine.warm_up);
}

}  // namespace foretrain
