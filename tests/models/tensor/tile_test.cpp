// The tile of the products in every size, with any register width.
#include "models/tensor/tile.h"

#include "models/base/random.h"
#include "models/tensor/tile_kernel.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Tile = std::function<void(const TileInput&, const TileOutput&)>;

std::vector<float> draw(std::size_t count, Stream& stream) {
  std::vector<float> numbers(count);
  for (float& x : numbers) x = static_cast<float>(stream.normal());
  return numbers;
}

// Runs 4 segments of 7 numbers with tiles of `rows` rows in groups of `group`, with `lanes` of
// `width` x `vectors` lanes.
void check_tile(const Tile& run, int rows, int group, int width, int vectors, int lanes,
                Stream& stream) {
  CAPTURE(rows, group, width, vectors, lanes);
  const bool add = stream.below(2) == 0;
  const bool relu = stream.below(2) == 0;
  const auto a = draw(3'000, stream);
  const auto b = draw(static_cast<std::size_t>(28 * width * vectors), stream);
  const auto bias = draw(static_cast<std::size_t>(width * vectors), stream);
  auto c = draw(static_cast<std::size_t>(rows * 40 + 40), stream);
  const auto before = c;
  TileInput in;
  in.a = a.data();
  in.row_step = 5;
  in.group_step = 61;
  in.step = 3;
  in.segment_step = 300;
  in.segments = 4;
  in.length = 7;
  in.b = b.data();
  in.b_step = std::ptrdiff_t{width} * vectors;
  TileOutput out;
  out.c = c.data();
  out.row_step = 40;
  out.lanes = lanes;
  out.add = add;
  out.bias = bias.data();
  out.relu = relu;
  run(in, out);
  std::size_t wrong = 0;
  for (int r = 0; r < rows; ++r) {
    for (int l = 0; l < 40; ++l) {
      const auto at = static_cast<std::size_t>(r * 40 + l);
      double sum = add ? before[at] : l < lanes ? bias[static_cast<std::size_t>(l)] : 0;
      for (int s = 0; s < 4 && l < lanes; ++s) {
        for (int t = 0; t < 7; ++t) {
          const int from = r / group * 61 + r % group * 5 + s * 300 + t * 3;
          sum += static_cast<double>(a[static_cast<std::size_t>(from)]) *
                 b[static_cast<std::size_t>((s * 7 + t) * width * vectors + l)];
        }
      }
      if (relu) sum = std::max(0.0, sum);
      if (l >= lanes && c[at] != before[at]) ++wrong;
      if (l < lanes && std::abs(c[at] - sum) > 1e-5 * (1 + std::abs(sum))) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

// All lane counts that need `kVectors` vectors. Widths that this processor lacks are not compiled.
template <class V, int kRows, int kVectors, int kGroup>
void check_width(Stream& stream) {
  if constexpr (V::kExists) {
    const Tile run = [](const TileInput& in, const TileOutput& out) {
      tile_kernel<V, kRows, kVectors, kGroup>(in, out, in.group_step);
    };
    for (int lanes = (kVectors - 1) * V::kCount + 1; lanes <= kVectors * V::kCount; ++lanes) {
      check_tile(run, kRows, kGroup, V::kCount, kVectors, lanes, stream);
    }
  }
}

TEST_CASE("tile: any register width computes the product") {
  Stream stream(1, "test");
  check_width<Register<4>, 6, 2, 3>(stream);
  check_width<Register<8>, 10, 1, 5>(stream);
  check_width<Register<16>, 1, 1, 3>(stream);
  check_width<Register<16>, 14, 2, 3>(stream);
  check_width<Simd, 12, 1, 3>(stream);
  check_width<Simd, 5, 2, 3>(stream);
}

TEST_CASE("tile: every size that is chosen at run time computes the product") {
  Stream stream(2, "test");
  for (int vectors = 1; vectors <= kMaxVectors; ++vectors) {
    for (int rows = 1; rows <= max_rows(vectors); ++rows) {
      const auto run = [&](TileInput in, const TileOutput& out) {
        in.row_step = 61;
        tile(rows, vectors, in, out);
      };
      check_tile(run, rows, 1, Simd::kCount, vectors,
                 vectors * Simd::kCount - static_cast<int>(stream.below(3)), stream);
    }
  }
  for (const int group : {3, 5, 6}) {
    const auto run = [&](const TileInput& in, const TileOutput& out) {
      tile_grouped(group, in, out);
    };
    check_tile(run, 2 * group, group, Simd::kCount, 1, std::min(6, Simd::kCount), stream);
  }
}

TEST_CASE("tile: what is not a number stays so through a ReLU") {
  const float nan = std::nanf("");
  float numbers[Simd::kCount];
  Simd::at_least(Simd::broadcast(nan), Simd::zero()).store(numbers);
  CHECK(std::isnan(numbers[0]));
}

TEST_CASE("tile: equal blocks cover everything once and differ by one at most") {
  for (int total = 0; total < 60; ++total) {
    for (int most = 1; most < 15; ++most) {
      int next = 0, least = 1'000, largest = 0;
      for_equal_blocks(total, most, [&](int first, int count) {
        REQUIRE(first == next);
        next += count;
        least = std::min(least, count);
        largest = std::max(largest, count);
      });
      REQUIRE(next == total);
      REQUIRE(largest <= most);
      REQUIRE((total == 0 || largest - least <= 1));
    }
  }
}

TEST_CASE("tile: packed columns are the transpose with zeros beside") {
  Stream stream(3, "test");
  const auto from = draw(40 * 50, stream);
  for (const int rows : {1, 7, 8, 19, 40}) {
    for (const int lanes : {1, 6, 8, 13, 16, 29}) {
      CAPTURE(rows, lanes);
      const int width = whole_vectors(lanes);
      std::vector<float> packed(static_cast<std::size_t>(rows * width), 7);
      pack_columns(from.data(), 50, rows, lanes, width, packed.data());
      std::size_t wrong = 0;
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < width; ++j) {
          const float want = j < lanes ? from[static_cast<std::size_t>(j * 50 + i)] : 0;
          if (packed[static_cast<std::size_t>(i * width + j)] != want) ++wrong;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace
}  // namespace foretrain
