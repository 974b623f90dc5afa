// The kernel of dense layers, convolutions: a product of strided rows with packed lanes.
#pragma once

#include "models/tensor/simd.h"

#include <cstddef>

namespace foretrain {

/// One tile of a product, held in registers during the sum:
///
///     c[r][l] = bias[l] or row_bias[r] or c[r][l] or 0,
///               + sum over s, t of a(r, s, t) b[s length + t][l]
///     a(r, s, t) = a[(r / group) group_step + (r % group) row_step + s segment_step + t step]
///
/// with s < segments, t < length, r < rows. The rows of a are read in place: pixels of an image
/// whose window is `segments` runs of `length` numbers, or weights summed over pixels (then the
/// runs are rows of pixels). All steps count floats. The sum is in the order of (s, t) whatever the
/// size of the tile; it begins at the bias, or is added to c when complete.
struct TileInput {
  const float* a = nullptr;
  std::ptrdiff_t row_step = 0;
  std::ptrdiff_t group_step = 0;  ///< only with `group` of tile_grouped
  std::ptrdiff_t step = 1;
  std::ptrdiff_t segment_step = 0;
  int segments = 1;
  int length = 0;
  const float* b = nullptr;  ///< [segments * length] rows of whole vectors
  std::ptrdiff_t b_step = 0;
};

struct TileOutput {
  float* c = nullptr;
  std::ptrdiff_t row_step = 0;
  int lanes = 0;                    ///< lanes of the tile's vectors that exist in c
  bool add = false;                 ///< the sum is added to c
  const float* bias = nullptr;      ///< if not `add`: the sum begins here, null: at zero; whole
                                    ///< vectors
  const float* row_bias = nullptr;  ///< instead of `bias`, one for each row
  bool relu = false;                ///< max(0, sum) is stored
};

inline constexpr int kMaxVectors = 2;
/// A panel: the lanes of one tile.
inline constexpr int kPanelLanes = kMaxVectors * Simd::kCount;

/// The most rows of a tile of 1 or 2 vectors. Accumulators, the vectors of b and a broadcast number
/// fill the registers.
constexpr int max_rows(int vectors) {
  return vectors == 1 ? (kRegisters == 32 ? 14 : 12) : (kRegisters - 2 - 1) / 2;
}

/// Rows 1 to max_rows(vectors), vectors 1 or 2; `group_step` is not read.
void tile(int rows, int vectors, const TileInput& in, const TileOutput& out);
/// Rows in two groups of 3, 5 or 6 for one vector: for windows of few channels with short runs.
void tile_grouped(int group, const TileInput& in, const TileOutput& out);

/// Calls `body(first, count)` for blocks of at most `most` out of `total`, as equal as possible: a
/// tile of few rows would wait for its additions.
template <class Body>
void for_equal_blocks(int total, int most, const Body& body) {
  const int blocks = (total + most - 1) / most;
  for (int i = 0, first = 0; i < blocks; ++i) {
    const int count = (total - first + blocks - i - 1) / (blocks - i);
    body(first, count);
    first += count;
  }
}

/// Calls `body(first, lanes, vectors)` for each panel of `lanes`.
template <class Body>
void for_panels(int first, int last, const Body& body) {
  for (; first < last; first += kPanelLanes) {
    const int lanes = last - first < kPanelLanes ? last - first : kPanelLanes;
    body(first, lanes, (lanes + Simd::kCount - 1) / Simd::kCount);
  }
}

/// `lanes` rounded up to whole vectors of `simd` floats.
constexpr int whole_vectors(int lanes, int simd = Simd::kCount) {
  return (lanes + simd - 1) / simd * simd;
}

/// dst[i][0, width) = src[i row_step + (0, lanes)], the rest zero, for i < rows. `width` is a
/// number of whole vectors.
void pack_rows(const float* src, std::ptrdiff_t row_step, int rows, int lanes, int width,
               float* dst);
/// dst[i][j] = src[j row_step + i] for j < lanes, zero for lanes <= j < width.
void pack_columns(const float* src, std::ptrdiff_t row_step, int rows, int lanes, int width,
                  float* dst);

}  // namespace foretrain
