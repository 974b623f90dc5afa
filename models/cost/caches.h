// What it takes to bring a job the bytes that its host's caches no longer hold.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <cstdint>
#include <unordered_set>
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

  [[nodiscard]] bool known() const { return private_cache.value > 0; }
  bool operator==(const MemoryHierarchy&) const = default;
};

/// What is touched again and again, step by step: what a piece of work of a node reads and writes.
struct Touched {
  std::uint32_t node = 0;
  std::uint64_t what = 0;  ///< told apart by the node; below 2^40
  Bytes size;

  [[nodiscard]] bool is(const Touched& other) const {
    return node == other.node && what == other.what;
  }
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
///     distance of a byte    bytes that were touched since it was, on its core | on the host
///     is still there        with probability exp(-distance / size of the cache)
///
/// which holds of a cache that replaces lines at random, and is near what others do that hash
/// addresses. A piece of work touches its F bytes one after another, so that those of D bytes of
/// others lie D to D + F away, of which a cache of C bytes holds
///
///     C (exp(-D / C) - exp(-(D + F) / C))
///
/// Source: the stack distances of Mattson, Gecsei, Slutz, Traiger 1970, with that probability in
/// place of their threshold. Realism: cores share one cache, whatever the sockets; no
/// associativity, no prefetching beyond what the measured cost of a byte has in it.
class Caches {
 public:
  Caches(const MemoryHierarchy& memory, int cores);

  /// Work on `core` touches this now.
  Refill touch(int core, const Touched& touched);
  /// Work on `core` touches a part of something that it goes through again and again, each time in
  /// another order, so that `whole` lies between two touches of a byte: a batch of a data set.
  [[nodiscard]] Refill pass(Bytes part, Bytes whole) const;
  /// What that takes while so many cores want bytes of memory.
  [[nodiscard]] Duration time_of(const Refill& refill, int cores = 1) const;
  /// Likewise of a message, which is copied, and whose cost by bytes has been measured from a
  /// shared cache.
  [[nodiscard]] Duration time_of_message(const Refill& refill, int cores = 1) const;

 private:
  /// Most recently touched last.
  using Recent = std::vector<Touched>;
  /// Of it, what the cache does not hold any more; it is the most recent now.
  static double lost(Recent& recent, const Touched& touched, Bytes cache);
  /// What a byte of memory takes while so many cores want some, that takes one core so long.
  [[nodiscard]] double byte_s(double alone_s, int cores) const;

  MemoryHierarchy memory_;
  std::vector<Recent> by_core_;
  Recent on_host_;
  std::unordered_set<std::uint64_t> met_;
};

}  // namespace foretrain
