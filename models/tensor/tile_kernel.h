// The body of a tile as a template on its size.
#pragma once

#include "models/tensor/tile.h"

#include <cstddef>
#include <limits>

namespace foretrain {

/// The start of a tile without a bias.
inline constexpr float kNoBias[64] = {};

// The loops below are unrolled so that no sum ever leaves its register; decisions are made outside
// of them. A short tile would spend more time on decisions than on its sums.

template <class V, int kRows, int kVectors>
[[gnu::always_inline]] inline void start_tile(const TileOutput& out, V (&sum)[kRows][kVectors]) {
  static_assert(kVectors * V::kCount <= 64);
  if (out.row_bias != nullptr && !out.add) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V x = V::broadcast(out.row_bias[r]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[r][v] = x;
    }
    return;
  }
  const float* start = out.bias != nullptr && !out.add ? out.bias : kNoBias;
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
    const V x = V::load(start + v * V::kCount);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) sum[r][v] = x;
  }
}

template <bool kAdd, bool kWhole, class V, int kRows, int kVectors>
[[gnu::always_inline]] inline void store_tile(const TileOutput& out,
                                              const V (&sum)[kRows][kVectors]) {
  constexpr int kWidth = V::kCount;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const V least = V::broadcast(out.relu ? 0.0F : -kInfinity);
  // Only the last vector can be partial.
  const int tail = out.lanes - (kVectors - 1) * kWidth;
  float* row = out.c;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r, row += out.row_step) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      float* c = row + v * kWidth;
      const bool whole = kWhole || v < kVectors - 1;
      V x = sum[r][v];
      if (kAdd) x = V::add(whole ? V::load(c) : V::load_some(c, tail), x);
      x = V::at_least(x, least);
      if (whole) {
        x.store(c);
      } else {
        x.store_some(c, tail);
      }
    }
  }
}

template <class V, int kRows, int kVectors>
[[gnu::always_inline]] inline void finish_tile(const TileOutput& out,
                                               const V (&sum)[kRows][kVectors]) {
  const bool whole = out.lanes == kVectors * V::kCount;
  if (out.add) {
    whole ? store_tile<true, true>(out, sum) : store_tile<true, false>(out, sum);
  } else {
    whole ? store_tile<false, true>(out, sum) : store_tile<false, false>(out, sum);
  }
}

/// Each group of kGroup rows has an address register; within a group rows are a multiple of a step
/// away, which an address can express for up to three rows without further registers.
template <class V, int kRows, int kVectors, int kGroup>
void tile_kernel(const TileInput& in, const TileOutput& out, std::ptrdiff_t group_step) {
  constexpr int kGroups = (kRows + kGroup - 1) / kGroup;
  V sum[kRows][kVectors];
  start_tile<V, kRows, kVectors>(out, sum);
  const std::ptrdiff_t row_step = in.row_step;
  const std::ptrdiff_t step = in.step;
  const std::ptrdiff_t b_step = in.b_step;
  const float* b = in.b;
  for (int s = 0; s < in.segments; ++s) {
    const float* a[kGroups];
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) a[g] = in.a + s * in.segment_step + g * group_step;
    for (int t = 0; t < in.length; ++t) {
      V lanes[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        lanes[v] = V::load(b + v * V::kCount);
        V::hold(lanes[v]);
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const V x = V::broadcast(a[r / kGroup][(r % kGroup) * row_step]);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) {
          sum[r][v] = V::multiply_add(x, lanes[v], sum[r][v]);
        }
      }
#pragma GCC unroll 8
      for (int g = 0; g < kGroups; ++g) a[g] += step;
      b += b_step;
    }
  }
  finish_tile<V, kRows, kVectors>(out, sum);
}

}  // namespace foretrain
