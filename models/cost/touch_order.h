// What lies between two touches of a piece of memory, among thousands of pieces.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace foretrain {

/// Pieces in the order in which they were touched last. How far one lies back is the sum of the
/// sizes of those that were touched since: its stack distance (Mattson, Gecsei, Slutz, Traiger
/// 1970). A tree of sums over the order has it in O(log n) (Bennett and Kruskal 1975; the tree:
/// Fenwick 1994): a server of 2,000 workers has thousands of buffers, each of which is touched
/// again once all others were.
///
/// Pieces are named by number, from 0, without gaps.
class TouchOrder {
 public:
  /// What came between two touches.
  struct Between {
    Bytes bytes;
    Duration time;
  };

  /// `most`: what lies further back is forgotten, at the latest when a piece comes that is new.
  explicit TouchOrder(Bytes most) : most_(most) {}

  /// `piece` is touched, which is of that size now, above 0. Nothing: it is new, or forgotten.
  std::optional<Between> touch(std::uint32_t piece, Bytes size, Instant now);

 private:
  /// In the order, the earliest first.
  struct Place {
    std::uint32_t piece;  // kNone: it has been touched since
    Bytes size;
    Instant at;
  };
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  void add(std::size_t place, Bytes size);
  /// The sizes of all places up to that one, with it.
  [[nodiscard]] Bytes up_to(std::size_t place) const;
  void forget();
  /// Closes the gaps, makes room.
  void tidy();

  Bytes most_;
  Bytes all_;
  std::size_t forgotten_ = 0;  // the first places
  std::vector<Place> places_;
  std::vector<Bytes> sums_;              // Fenwick's, over as many places as there may be
  std::vector<std::uint32_t> place_of_;  // by piece
};

}  // namespace foretrain
