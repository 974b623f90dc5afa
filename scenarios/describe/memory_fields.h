// The keys of what a machine's memory costs.
#pragma once

#include "models/cost/caches.h"
#include "scenarios/describe/field.h"

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
               .written = memory.neighbours.value > 0},
              memory.neighbours);
}

}  // namespace foretrain
