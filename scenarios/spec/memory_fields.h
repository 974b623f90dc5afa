// The keys of a machine's memory, its disk, its scheduler.
#pragma once

#include "models/cost/caches.h"
#include "scenarios/language/field.h"
#include "scenarios/spec/disk_cost.h"
#include "scenarios/spec/machine.h"

namespace foretrain {

template <class Visitor, Described<MemoryHierarchy> T>
void describe(Visitor& visit, T& memory) {
  visit.field({.key = "private_cache",
               .doc = "size of the private cache of each core",
               .above = 0,
               .most = 1e12,
               .required = true},
              memory.private_cache);
  visit.field({.key = "shared_cache",
               .doc = "size of the cache that all cores share",
               .least = 0,
               .most = 1e12},
              memory.shared_cache);
  visit.field({.key = "shared_byte",
               .doc = "CPU time of reading a byte from the shared cache",
               .least = 0,
               .most = 1,
               .seconds = true},
              memory.shared_byte_s);
  visit.field({.key = "memory_byte",
               .doc = "CPU time of reading a byte from memory",
               .least = 0,
               .most = 1,
               .seconds = true},
              memory.memory_byte_s);
  visit.field(
      {.key = "copied_byte",
       .doc = "additional CPU time of a byte of a message that is in no cache, on either side",
       .least = 0,
       .most = 1,
       .required = true,
       .seconds = true},
      memory.copied_byte_s);
  visit.field({.key = "fresh_byte",
               .doc = "CPU time of a byte that its process touches for the first time",
               .least = 0,
               .most = 1,
               .seconds = true},
              memory.fresh_byte_s);
  visit.field({.key = "bandwidth",
               .doc = "memory bandwidth of all cores together; left out: never the bottleneck",
               .least = 0,
               .most = 1e15,
               .written = memory.bandwidth.value > 0},
              memory.bandwidth);
  visit.field({.key = "neighbours",
               .doc = "traffic into the shared cache by other virtual machines; left out: none",
               .least = 0,
               .most = 1e15,
               .written = memory.background_traffic.value > 0},
              memory.background_traffic);
}

template <class Visitor, Described<DiskCost> T>
void describe(Visitor& visit, T& disk) {
  visit.field(
      {.key = "write_rate",
       .doc = "rate at which a node writes its part of a checkpoint: copying, hash, write, fsync",
       .above = 0,
       .most = 1e15,
       .required = true},
      disk.write_rate);
  visit.field({.key = "write_latency",
               .doc = "time of a part in addition to its bytes; left out: none",
               .least = 0,
               .most = 1e6},
              disk.write_latency);
}

template <class Visitor, Described<Machine> T>
void describe_disk(Visitor& visit, T& machine) {
  visit.section(
      {.key = "disk",
       .doc = "time of writing a node's part of a checkpoint; left out: that of a fast disk",
       .written = machine.disk.known()},
      machine.disk);
}

/// The losses of jobs that share cores. These keys are written directly among those of the machine.
template <class Visitor, Described<Machine> T>
void describe_scheduling(Visitor& visit, T& machine) {
  visit.field({.key = "slice",
               .doc = "time slice of a thread while another waits for its core",
               .above = 0,
               .most = 1e3},
              machine.slice);
  visit.field({.key = "contention",
               .doc = "factor by which compute is slower while another core computes",
               .least = 1,
               .most = 1e3,
               .written = machine.contention > 1},
              machine.contention);
  visit.field({.key = "process_change",
               .doc = "context switch: time of a core to continue with another process",
               .least = 0,
               .most = 1},
              machine.context_switch);
  visit.field(
      {.key = "thread_change",
       .doc =
           "additional time of a job that runs on a thread beside the event loop; left out: none",
       .least = 0,
       .most = 1,
       .written = machine.thread_handoff.ns > 0},
      machine.thread_handoff);
  visit.field({.key = "resume",
               .doc = "most time that a gradient or an update loses if it begins after messages: "
                      "it runs at half speed until then; left out: none",
               .least = 0,
               .most = 1,
               .written = machine.warm_up.ns > 0},
              machine.warm_up);
}

}  // namespace foretrain
