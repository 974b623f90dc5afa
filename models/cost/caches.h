// The cost of cache misses: of the bytes of a job that its host's caches no longer hold.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/cost/reuse_distance.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace foretrain {

/// The memory hierarchy of a host: private caches of the cores, a shared cache, memory. The cost of
/// a byte is CPU time of the reading core, in addition to the cost from the core's own cache.
struct MemoryHierarchy {
  Bytes private_cache{};       ///< size at each core; 0: unknown, all bytes are always cached
  Bytes shared_cache{};        ///< size, for all cores
  double shared_byte_s = 0;    ///< for a byte from the shared cache
  double memory_byte_s = 0;    ///< for a byte from memory
  double copied_byte_s = 0;    ///< for a byte of a message, on either side, if neither a cache nor
                               ///< the kernel's pages hold it
  double fresh_byte_s = 0;     ///< for a byte never touched by its process: the kernel maps a page
  BytesPerSecond bandwidth{};  ///< of memory, for all cores; 0: never the bound
  /// Background traffic of other virtual machines into the shared cache.
  BytesPerSecond background_traffic{};

  [[nodiscard]] bool known() const { return private_cache.value > 0; }
  bool operator==(const MemoryHierarchy&) const = default;
};

/// A piece of memory that the work of a node reads and writes in each step.
struct Touched {
  std::uint32_t node = 0;
  std::uint64_t what = 0;  ///< identifies it at the node; below 2^40
  Bytes size;
};

/// Missed bytes by where they come from; the rest are in the core's own cache.
struct CacheMisses {
  double shared = 0;
  double memory = 0;
  double fresh = 0;

  constexpr CacheMisses& operator+=(const CacheMisses& more) {
    shared += more.shared;
    memory += more.memory;
    fresh += more.fresh;
    return *this;
  }
};

/// The caches of a host, modelled by the reuse distances of what its nodes touch:
///
///     distance of a byte    D: bytes touched since its last touch, on its core | on the host,
///                           with its own piece and the background traffic
///     is still cached       with probability P(fewer than W lines came to its set since)
///                           = exp(-l) (1 + l + .. + l^(W-1) / (W-1)!), l = W D / C
///
/// for a cache of C bytes that has W ways and replaces the oldest line of a set. Real caches have
/// more ways, but know the order of their lines only by halves: with W = 4 the law fits the misses
/// of repeated walks over S bytes (shared cache of 32 MB, one core of an AMD EPYC Zen 5 VM):
///
///     S [MB]           14   16   20   24   28   32   40   48   64
///     missed [%]        2    8   17   37   55   60   73   85   90
///     the law [%]      10   14   24   35   46   57   73   85   96
///
/// and the share lost of 4 MB that nobody touched, with background traffic of 8 GB/s: after 1, 2,
/// 4, 8 ms 2, 20, 60, 90 %. Source: stack distances (reuse_distance.h), in sets as in Smith 1978.
/// Realism: cores share one cache, whatever the sockets; prefetching is modelled only as far as the
/// measured cost of a byte includes it.
class Caches {
 public:
  Caches(const MemoryHierarchy& memory, int cores);

  /// Sets the time of the touches that follow.
  void at(Instant now) { now_ = now; }
  /// Work on `core` touches this now.
  CacheMisses touch(int core, const Touched& touched);
  /// Work on `core` touches a part of data that it passes repeatedly, each time in another order,
  /// so that `whole` lies between two touches of a byte: a batch of a data set.
  CacheMisses pass(int core, const Touched& part, Bytes whole);
  /// The time of these misses while `cores` cores read memory.
  [[nodiscard]] Duration time_of(const CacheMisses& misses, int cores = 1) const;
  /// The same for a message, which is copied, and whose cost per byte was measured from a shared
  /// cache.
  [[nodiscard]] Duration time_of_message(const CacheMisses& misses, int cores = 1) const;

 private:
  /// The misses of `size` bytes after `more` bytes were also touched, `times` times as often.
  CacheMisses missing(int core, const Touched& touched, std::uint32_t number, double more,
                      double times);
  /// Seconds for a byte of memory while `cores` cores read, if one core alone takes `alone_s`.
  [[nodiscard]] double byte_s(double alone_s, int cores) const;

  MemoryHierarchy memory_;
  /// A piece that has been touched.
  struct Known {
    std::uint32_t number;
    Bytes most;  // the most bytes of it that were touched
  };
  Known& know(const Touched& touched);

  std::vector<ReuseDistances> by_core_;
  ReuseDistances on_host_;
  std::unordered_map<std::uint64_t, Known> known_;  // by name
  Instant now_;
};

}  // namespace foretrain
