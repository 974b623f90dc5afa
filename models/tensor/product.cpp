#include "models/tensor/product.h"

#include "models/base/check.h"
#include "models/tensor/tile.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace foretrain {
namespace {

// A block of packed b: 256 KB, so that it stays in the L2 cache while all rows pass; a panel of it
// stays in the L1 cache. Its longer side is the one along which b is contiguous.
constexpr int kBlockFloats = 64 * 1024;
constexpr int kWideLanes = 512;
constexpr int kTransposedLanes = 256;
constexpr int kPackedRows = 8;
// With fewer multiply-adds than this, about 30 us, waking a thread does not pay.
constexpr std::int64_t kWorthSplitting = 1'500'000;
constexpr int kMostParts = 8;

int ceil_div(int a, int b) { return (a + b - 1) / b; }

int block_lanes(const Product& p) { return p.b_transposed ? kTransposedLanes : kWideLanes; }

int block_depth(const Product& p) { return kBlockFloats / block_lanes(p); }

int lane_blocks(const Product& p) { return ceil_div(p.lanes, block_lanes(p)); }

int parts_of(std::int64_t work, int blocks) {
  return work < kWorthSplitting ? 1 : std::min(blocks, kMostParts);
}

int product_parts(const Product& p) {
  return parts_of(std::int64_t{p.rows} * p.depth * p.lanes, lane_blocks(p));
}

// The first of the lanes of a block: whole panels, as equal as possible.
int block_begin(int lanes, int block, int blocks) {
  const int panels = ceil_div(lanes, kPanelLanes);
  return std::min(lanes, static_cast<int>(std::int64_t{panels} * block / blocks) * kPanelLanes);
}

void multiply_panel(const Product& p, int depth_first, int depth, int first, int lanes,
                    const float* packed) {
  const int vectors = ceil_div(lanes, Simd::kCount);
  float bias[kPanelLanes];
  if (p.bias != nullptr) pack_rows(p.bias + first, 0, 1, lanes, whole_vectors(lanes), bias);
  TileInput in;
  in.row_step = p.a_step;
  in.length = depth;
  in.b = packed;
  in.b_step = whole_vectors(lanes);
  TileOutput out;
  out.row_step = p.c_step;
  out.lanes = lanes;
  out.add = depth_first > 0;
  out.bias = p.bias != nullptr ? bias : nullptr;
  out.relu = p.relu && depth_first + depth == p.depth;
  for_equal_blocks(p.rows, max_rows(vectors), [&](int row, int rows) {
    in.a = p.a + row * p.a_step + depth_first;
    out.c = p.c + row * p.c_step + first;
    tile(rows, vectors, in, out);
  });
}

// Packs the panels of [first, last), reading the rows of b in order.
void pack_block(const Product& p, int depth_first, int depth, int first, int last, float* packed) {
  if (p.b_transposed) {
    for_panels(first, last, [&](int lane, int lanes, int /*vectors*/) {
      pack_columns(p.b + lane * p.b_step + depth_first, p.b_step, depth, lanes,
                   whole_vectors(lanes), packed + std::ptrdiff_t{lane - first} * depth);
    });
    return;
  }
  // A few rows at a time: wide rows are in different pages.
  for (int d = 0; d < depth; d += kPackedRows) {
    const int rows = std::min(kPackedRows, depth - d);
    const float* src = p.b + (depth_first + d) * p.b_step;
    for_panels(first, last, [&](int lane, int lanes, int /*vectors*/) {
      const int width = whole_vectors(lanes);
      pack_rows(src + lane, p.b_step, rows, lanes, width,
                packed + std::ptrdiff_t{lane - first} * depth + std::ptrdiff_t{d} * width);
    });
  }
}

void multiply_block(const Product& p, int first, int last, float* packed) {
  for_equal_blocks(p.depth, block_depth(p), [&](int depth_first, int depth) {
    pack_block(p, depth_first, depth, first, last, packed);
    for_panels(first, last, [&](int lane, int lanes, int /*vectors*/) {
      const float* panel = packed + std::ptrdiff_t{lane - first} * depth;
      multiply_panel(p, depth_first, depth, lane, lanes, panel);
    });
  });
}

// Few lanes leave most of a vector empty: then the rows of a become the lanes of tiles, if they
// fill vectors better although they have to be packed; c comes out transposed. Blocks of the depth
// are the same, and so are the bits.
bool fills_rows(const Product& p) {
  constexpr int kLeastDepth = 32;
  const int along_lanes = p.rows * ceil_div(p.lanes, Simd::kCount);
  const int along_rows = p.lanes * ceil_div(p.rows, Simd::kCount);
  return p.lanes <= kPanelLanes && p.depth >= kLeastDepth && !p.b_transposed &&
         p.c_step == p.lanes && 5 * along_rows <= 4 * along_lanes;
}

void multiply_along_rows(const Product& p, float* scratch) {
  for_panels(0, p.rows, [&](int row, int rows, int vectors) {
    float* sums = scratch;  // [lanes][rows]
    float* packed = sums + std::ptrdiff_t{p.lanes} * rows;
    TileInput in;
    in.row_step = 1;
    in.step = p.b_step;
    in.b = packed;
    in.b_step = whole_vectors(rows);
    TileOutput out;
    out.row_step = rows;
    out.lanes = rows;
    for_equal_blocks(p.depth, block_depth(p), [&](int depth_first, int depth) {
      pack_columns(p.a + row * p.a_step + depth_first, p.a_step, depth, rows, whole_vectors(rows),
                   packed);
      in.length = depth;
      out.add = depth_first > 0;
      out.relu = p.relu && depth_first + depth == p.depth;
      for_equal_blocks(p.lanes, max_rows(vectors), [&](int lane, int lanes) {
        in.a = p.b + depth_first * p.b_step + lane;
        out.c = sums + std::ptrdiff_t{lane} * rows;
        out.row_bias = p.bias != nullptr ? p.bias + lane : nullptr;
        tile(lanes, vectors, in, out);
      });
    });
    pack_columns(sums, rows, rows, p.lanes, p.lanes, p.c + row * p.c_step);
  });
}

std::size_t block_floats(const Product& p, int simd = Simd::kCount) {
  return static_cast<std::size_t>(std::min(p.depth, block_depth(p))) *
         static_cast<std::size_t>(std::min(block_lanes(p), p.lanes) + kMaxVectors * simd);
}

// Rows of c that an outer product takes at a time: a's columns are packed for them, or are lanes.
constexpr int kOuterRows = 96;
static_assert(kOuterRows % kPanelLanes == 0);
// From this many lanes on, packing a pays.
constexpr int kNarrowLanes = 16;

int outer_parts(const OuterProduct& p) {
  return parts_of(std::int64_t{p.rows} * p.depth * p.lanes, ceil_div(p.depth, kOuterRows));
}

// Floats of a part's packed columns. Whole vectors are stored even if fewer numbers are packed: the
// excess is overwritten by what is packed next, and at the end has extra room.
std::size_t column_floats(const OuterProduct& p) {
  constexpr std::size_t kBehind = 16;
  static_assert(kBehind >= Simd::kCount);
  return static_cast<std::size_t>(kOuterRows) * static_cast<std::size_t>(p.rows) + kBehind;
}

// Computes rows [first, last) of c, at most kOuterRows.
void outer_rows(const OuterProduct& p, int first, int last, const float* panels, float* columns) {
  for_equal_blocks(last - first, max_rows(kMaxVectors), [&](int row, int rows) {
    float* dst = columns + std::ptrdiff_t{row} * p.rows;
    for (int r = 0; r < p.rows; ++r, dst += rows) {
      pack_rows(p.a + std::ptrdiff_t{r} * p.depth + first + row, 0, 1, rows, rows, dst);
    }
  });
  for_panels(0, p.lanes, [&](int lane, int lanes, int vectors) {
    TileInput in;
    in.row_step = 1;
    in.length = p.rows;
    in.b = panels + std::ptrdiff_t{lane} * p.rows;
    in.b_step = whole_vectors(lanes);
    TileOutput out;
    out.row_step = p.lanes;
    out.lanes = lanes;
    for_equal_blocks(last - first, max_rows(kMaxVectors), [&](int row, int rows) {
      in.a = columns + std::ptrdiff_t{row} * p.rows;
      in.step = rows;
      out.c = p.c + std::ptrdiff_t{first + row} * p.lanes + lane;
      tile(rows, vectors, in, out);
    });
  });
}

// With few lanes, the columns of a become the lanes of tiles, read in place, because packing them
// would cost more than the product; c comes out transposed.
bool is_narrow(const OuterProduct& p) { return p.lanes <= kNarrowLanes; }

std::size_t narrow_floats(const OuterProduct& p, int simd = Simd::kCount) {
  return std::size_t{kOuterRows} * static_cast<std::size_t>(p.lanes) +
         static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(kMaxVectors * simd);
}

void narrow_rows(const OuterProduct& p, int first, int last, float* scratch) {
  const int count = last - first;
  float* ragged = scratch + std::ptrdiff_t{kOuterRows} * p.lanes;
  for_panels(0, count, [&](int column, int columns, int vectors) {
    TileInput in;
    in.row_step = 1;
    in.step = p.lanes;
    in.length = p.rows;
    in.b = p.a + first + column;
    in.b_step = p.depth;
    if (columns != whole_vectors(columns)) {
      // Whole vectors would read past the end of a.
      pack_rows(in.b, p.depth, p.rows, columns, whole_vectors(columns), ragged);
      in.b = ragged;
      in.b_step = whole_vectors(columns);
    }
    TileOutput out;
    out.row_step = count;
    out.lanes = columns;
    for_equal_blocks(p.lanes, max_rows(vectors), [&](int lane, int lanes) {
      in.a = p.b + lane;
      out.c = scratch + std::ptrdiff_t{lane} * count + column;
      tile(lanes, vectors, in, out);
    });
  });
  pack_columns(scratch, count, count, p.lanes, p.lanes, p.c + std::ptrdiff_t{first} * p.lanes);
}

}  // namespace

std::size_t multiply_scratch(const Product& product, int simd) {
  return static_cast<std::size_t>(product_parts(product)) * block_floats(product, simd);
}

void multiply(const Product& product, Parallel& parallel, float* scratch) {
  const int parts = product_parts(product);
  if (fills_rows(product)) return multiply_along_rows(product, scratch);
  const int blocks = lane_blocks(product);
  const auto part = [&](int i) {
    float* packed = scratch + static_cast<std::size_t>(i) * block_floats(product);
    for (int block = blocks * i / parts; block < blocks * (i + 1) / parts; ++block) {
      multiply_block(product, block_begin(product.lanes, block, blocks),
                     block_begin(product.lanes, block + 1, blocks), packed);
    }
  };
  parallel.run(parts, std::cref(part));
}

std::size_t multiply_outer_scratch(const OuterProduct& product, int simd) {
  if (is_narrow(product)) {
    return static_cast<std::size_t>(outer_parts(product)) * narrow_floats(product, simd);
  }
  const auto rows = static_cast<std::size_t>(product.rows);
  return rows * static_cast<std::size_t>(whole_vectors(product.lanes, simd)) +
         static_cast<std::size_t>(outer_parts(product)) * column_floats(product);
}

void multiply_outer(const OuterProduct& product, Parallel& parallel, float* scratch) {
  const int parts = outer_parts(product);
  const int chunks = ceil_div(product.depth, kOuterRows);
  const auto begin = [&](int chunk) {
    // As lanes, a's columns come in whole panels.
    if (is_narrow(product)) return block_begin(product.depth, chunk, chunks);
    return static_cast<int>(std::int64_t{product.depth} * chunk / chunks);
  };
  const auto for_chunks = [&](int i, const auto& body) {
    for (int chunk = chunks * i / parts; chunk < chunks * (i + 1) / parts; ++chunk) {
      body(begin(chunk), begin(chunk + 1));
    }
  };
  if (is_narrow(product)) {
    const auto part = [&](int i) {
      float* own = scratch + static_cast<std::size_t>(i) * narrow_floats(product);
      for_chunks(i, [&](int first, int last) { narrow_rows(product, first, last, own); });
    };
    return parallel.run(parts, std::cref(part));
  }
  float* panels = scratch;
  for_panels(0, product.lanes, [&](int lane, int lanes, int /*vectors*/) {
    pack_rows(product.b + lane, product.lanes, product.rows, lanes, whole_vectors(lanes),
              panels + std::ptrdiff_t{lane} * product.rows);
  });
  float* columns = panels + std::ptrdiff_t{product.rows} * whole_vectors(product.lanes);
  const auto part = [&](int i) {
    float* own = columns + static_cast<std::size_t>(i) * column_floats(product);
    for_chunks(i, [&](int first, int last) { outer_rows(product, first, last, panels, own); });
  };
  parallel.run(parts, std::cref(part));
}

}  // namespace foretrain
