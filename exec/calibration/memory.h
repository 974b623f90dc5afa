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

/// What a byte takes, measured by gradients of a softmax regression, whose bytes a core's own cache
/// holds, with other memory walked over between them:
///
///     shared      so much longer takes a gradient after four times what the core's cache holds, by
///                 the bytes that it touches (models/graph/working_set.h); as `memory` where the
///                 shared cache is not much larger
///     memory      likewise after four times what the shared cache holds
///     fresh       a walk over memory that the process was just given
///     bandwidth   bytes a second of all `cores` that walk over what no cache holds; 0 for one core
///
/// Prefetching is in it as far as a gradient profits from it. Source: the experiment of walking
/// over other memory to find what a cache holds, as of Saavedra and Smith 1995.
MemoryHierarchy measure_memory(const std::vector<int>& cores, const CacheSizes& sizes);

}  // namespace foretrain::exec
