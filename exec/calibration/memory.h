// What bytes take on this machine to be brought to a core, by where they lie.
#pragma once

#include "models/cost/caches.h"
#include "reports/record/processor.h"

#include <vector>

namespace foretrain::exec {

/// Of a processor that does not say: 1 MB a core; the shared one is measured.
struct CacheSizes {
  Bytes of_core;
  Bytes shared;
  bool told = false;  ///< that of a core
};
CacheSizes cache_sizes(const Processor& processor);

/// What a byte took that was walked over, in walks over so much.
struct Walk {
  Bytes size;
  double byte_s = 0;
};
/// The cache by which the law of models/cost/caches.h tells these walks, which go from what a
/// core's own cache holds to what no cache does: of a walk over S bytes, again and again, half is
/// missing, and half of what memory costs more is seen, where S = 0.918 C.
/// Between two walks by the logarithm of the size. 0: no walk takes half as long again as the
/// first, or the second one does already; no shared cache is to be seen.
Bytes shared_cache_of(const std::vector<Walk>& walks);
/// Walks on that core, each next one over twice as much, until 256 MB: what it has of the shared
/// cache, no more than is told. Virtual machines do not tell what of a socket's cache their cores
/// share, or what neighbours take of it. As told where none is to be seen.
Bytes measure_shared_cache(int core, const CacheSizes& told);
/// What others bring into a shared cache a second: of a piece of it that is walked over, left
/// alone for a while, and walked over again, half is gone once they have brought as much as half of
/// a walk misses. 0: that takes more than 8 ms, or is not to be seen.
BytesPerSecond measure_neighbours(int core, const CacheSizes& sizes);
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
