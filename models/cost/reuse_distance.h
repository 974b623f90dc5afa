// Reuse distances between touches of the same piece of memory, among thousands of pieces.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace foretrain {

/// Pieces in the order of their last touches. The stack distance of a piece is the sum of the sizes
/// of pieces touched since (Mattson, Gecsei, Slutz, Traiger 1970). A tree of sums over the order
/// finds it in O(log n) (Bennett and Kruskal 1975; the tree: Fenwick 1994): a server of 2,000
/// workers has thousands of buffers, each touched again after all others.
///
/// Pieces are named by number, from 0, without gaps.
class ReuseDistances {
 public:
  /// Bytes and time between two touches.
  struct Between {
    Bytes bytes;
    Duration time;
  };

  /// A piece is forgotten once pieces of more than `most` bytes were touched after it.
  explicit ReuseDistances(Bytes most) : most_(most) {}

  /// `piece` is touched, and has now this size, above 0. Nullopt if it was new or forgotten.
  std::optional<Between> touch(std::uint32_t piece, Bytes size, Instant now);

 private:
  /// Places in the order, the earliest first.
  struct Place {
    std::uint32_t piece;  // kNone: touched again since
    Bytes size;
    Instant at;
  };
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  void add(std::size_t place, Bytes size);
  /// The sum of the sizes of all places up to `place`, included.
  [[nodiscard]] Bytes up_to(std::size_t place) const;
  void forget();
  /// Closes the gaps and makes room.
  void tidy();

  Bytes most_;
  Bytes all_;
  std::size_t forgotten_ = 0;  // number of leading places
  std::vector<Place> places_;
  std::vector<Bytes> sums_;              // Fenwick tree over all places that fit
  std::vector<std::uint32_t> place_of_;  // by piece
};

}  // namespace foretrain
