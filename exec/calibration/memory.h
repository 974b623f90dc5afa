// The time to bring bytes to a core on this machine, by where they lie.
#pragma once

#include "models/cost/caches.h"
#include "reports/record/processor.h"

#include <vector>

namespace foretrain::exec {

/// If the processor does not report them: 1 MB per core; the shared cache is measured.
struct CacheSizes {
  Bytes of_core;
  Bytes shared;
  bool told = false;  ///< the per-core size is reported
};
CacheSizes cache_sizes(const Processor& processor);

/// Time per byte of repeated walks over an array of this size.
struct Walk {
  Bytes size;
  double byte_s = 0;
};
/// The shared cache size by the law of models/cost/caches.h, from walks over sizes between a core's
/// own cache and far more than any cache. In repeated walks over S bytes half of them miss, so half
/// of the additional cost of memory is visible, if S = 0.918 C. Interpolated between two walks by
/// the logarithm of the size. 0 if no shared cache is visible: no walk takes half as long again as
/// the first, or the second one already does.
Bytes shared_cache_of(const std::vector<Walk>& walks);
/// Walks on a core, doubling the size up to 256 MB: the core's part of the shared cache, at most
/// the reported size. Virtual machines report neither the part of a socket's cache that their cores
/// share nor what their neighbours take of it. The reported size if no shared cache is visible.
Bytes measure_shared_cache(int core, const CacheSizes& told);
/// Rate at which others bring bytes into the shared cache of size C. A piece of P bytes is walked
/// over, left alone, and walked over again: half of it is evicted once others have brought in 0.918
/// C - P. 0 if that takes more than 8 ms or is not visible.
BytesPerSecond measure_background_traffic(int core, const CacheSizes& sizes);
/// Size of a walk that evicts everything from the caches.
Bytes beyond_caches(const CacheSizes& sizes);

/// Measures the time per byte by walks over memory, and by gradients of a softmax regression whose
/// bytes fit into a core's own cache:
///
///     shared      additional time of a gradient after a walk over four times the core's cache, per
///                 byte that it touches (models/graph/working_set.h); equal to `memory` if the
///                 shared cache is not much larger
///     memory      a walk over four times the shared cache, less one over a quarter of the core's
///                 own cache: parameters, gradients, activations come from memory in long rows, too
///     fresh       a walk over memory that the process has just received
///     bandwidth   bytes per second of all `cores` walking over what no cache holds; 0 for one core
///
/// The figures include prefetching as far as gradients and walks profit from it. (A gradient whose
/// 200 KB all come from memory waits two to four times as long per byte as a walk, and this varies
/// with the neighbours of a virtual machine: 129, 163, 210 ps within two hours in which the walk
/// measured 53, 54.) Source: walking over memory to find cache sizes, as Saavedra and Smith 1995.
/// The time per byte of an uncached message is measured by `measure_cold_byte` (message_costs.h).
MemoryHierarchy measure_memory(const std::vector<int>& cores, const CacheSizes& sizes);

}  // namespace foretrain::exec
