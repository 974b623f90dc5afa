// The keys of what checkpoints cost on a machine's disk.
#pragma once

#include "scenarios/describe/field.h"
#include "scenarios/disk.h"
#include "scenarios/machine.h"

namespace foretrain {

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

}  // namespace foretrain
