// What bytes take on this machine to be brought to a core, by where they lie.
#pragma once

#include "models/cost/caches.h"
#include "reports/record/processor.h"

#include <vector>

namespace foretrain::exec {

/// Of a processor that does not say: 1 MB a core, no shared one.
struct CacheSizes {
  Bytes of_core;
  Bytes shared;
  bool told = false;
};
CacheSizes cache_sizes(const Processor& processor);
/// A walk over so much leaves nothing of what was there before.
Bytes beyond_caches(const CacheSizes& sizes);

/// What a byte takes, measured by walks over memory and by gradients of a softmax regression, whose
/// bytes a core's own cache holds:
///
///     shared      so much longer takes a gradient after a walk over four times what the core's
///                 cache holds, by the bytes that it touches (models/graph/working_set.h); as
///                 `memory` where the shared cache is not much larger
///     memory      a walk over four times what the shared cache holds, less one over a quarter of
///                 what the core's own does: what comes from memory step by step are parameters,
///                 gradients, activations, in long rows
///     fresh       a walk over memory that the process was just given
///     bandwidth   bytes a second of all `cores` that walk over what no cache holds; 0 for one core
///
/// Prefetching is in it as far as gradient and walk profit from it. (A gradient whose 200 KB all
/// come from memory waits two to four times as long for each byte as a walk does, and what it waits
/// changes with the neighbours of a virtual machine: 129, 163, 210 ps within two hours in which the
/// walk said 53, 54.) Source: the experiment of walking over memory to find what a cache holds, as
/// of Saavedra and Smith 1995.
/// What a byte of a message takes that no cache holds is `measure_cold_byte`'s (message_costs.h).
MemoryHierarchy measure_memory(const std::vector<int>& cores, const CacheSizes& sizes);

}  // namespace foretrain::exec
