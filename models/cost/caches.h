// What it takes to bring a job the bytes that its host's caches no longer hold.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/cost/touch_order.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace foretrain {

/// Where a host's bytes lie: caches of its cores, one that cores share, memory. What a byte costs
/// is CPU time of who needs it, beside what it would take from the core's own cache.
struct MemoryHierarchy {
  Bytes private_cache{};       ///< of each core; 0: nothing is known, bytes are always there
  Bytes shared_cache{};        ///< of all cores
  double shared_byte_s = 0;    ///< from the shared cache
  double memory_byte_s = 0;    ///< from memory
  double copied_byte_s = 0;    ///< of a message, on either side, that no cache holds, nor the
                               ///< kernel's pages of it
  double fresh_byte_s = 0;     ///< that its process never touched: the kernel has to find a page
  BytesPerSecond bandwidth{};  ///< of memory, all cores together; 0: never the bound
  /// What others bring into the shared cache: neighbours of a virtual machine.
  BytesPerSecond neighbours{};

  [[nodiscard]] bool known() const { return private_cache.value > 0; }
  bool operator==(const MemoryHierarchy&) const = default;
};

/// What is touched again and again, step by step: what a piece of work of a node reads and writes.
struct Touched {
  std::uint32_t node = 0;
  std::uint64_t what = 0;  ///< told apart by the node; below 2^40
  Bytes size;
};

/// Bytes by where they come from; the rest are in the core's own cache.
struct Refill {
  double shared = 0;
  double memory = 0;
  double fresh = 0;

  constexpr Refill& operator+=(const Refill& more) {
    shared += more.shared;
    memory += more.memory;
    fresh += more.fresh;
    return *this;
  }
};

/// The caches of a host, by what its nodes touched in which order:
///
///     distance of a byte    D: bytes that were touched since it was, on its core | on the host,
///                           the piece that it is of included, and what neighbours brought
///     is still there        with probability P(fewer than W lines came to its set since)
///                           = exp(-l) (1 + l + .. + l^(W-1) / (W-1)!), l = W D / C
///
/// of a cache of C bytes that has W ways and replaces the oldest line of a set. Caches have more
/// ways than that, but know the order of their lines by halves: as with W = 4 was what walks over S
/// bytes again and again missed (shared cache of 32 MB, one core of an AMD EPYC Zen 5 VM):
///
///     S [MB]           14   16   20   24   28   32   40   48   64
///     missed [%]        2    8   17   37   55   60   73   85   90
///     the law [%]      10   14   24   35   46   57   73   85   96
///
/// and what was gone of 4 MB that nobody touched, by neighbours' 8 GB/s: after 1, 2, 4, 8 ms 2, 20,
/// 60, 90 %. Source: stack distances (touch_order.h), in sets as of Smith 1978. Realism: cores
/// share one cache, whatever the sockets; no prefetching beyond what the measured cost of a byte
/// has in it.
class Caches {
 public:
  Caches(const MemoryHierarchy& memory, int cores);

  /// What is touched from now on is touched at this instant.
  void at(Instant now) { now_ = now; }
  /// Work on `core` touches this now.
  Refill touch(int core, const Touched& touched);
  /// Work on `core` touches a part of something that it goes through again and again, each time in
  /// another order, so that `whole` lies between two touches of a byte: a batch of a data set.
  Refill pass(int core, const Touched& part, Bytes whole);
  /// What that takes while so many cores want bytes of memory.
  [[nodiscard]] Duration time_of(const Refill& refill, int cores = 1) const;
  /// Likewise of a message, which is copied, and whose cost by bytes has been measured from a
  /// shared cache.
  [[nodiscard]] Duration time_of_message(const Refill& refill, int cores = 1) const;

 private:
  /// What is missing of `size` bytes, `more` having been touched besides, `times` as often as that.
  Refill missing(int core, const Touched& touched, std::uint32_t number, double more, double times);
  /// What a byte of memory takes while so many cores want some, that takes one core so long.
  [[nodiscard]] double byte_s(double alone_s, int cores) const;

  MemoryHierarchy memory_;
  /// A piece that has been touched.
  struct Known {
    std::uint32_t number;
    Bytes most;  // of it that was touched
  };
  Known& know(const Touched& touched);

  std::vector<TouchOrder> by_core_;
  TouchOrder on_host_;
  std::unordered_map<std::uint64_t, Known> known_;  // by name
  Instant now_;
};

}  // namespace foretrain
