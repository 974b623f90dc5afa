#include "models/tensor/tile.h"

#include "models/base/check.h"
#include "models/tensor/tile_kernel.h"

#include <algorithm>
#include <array>
#include <utility>

namespace foretrain {
namespace {

using Kernel = void (*)(const TileInput&, const TileOutput&);

// An address can be a base plus once or twice a step: three rows a register.
constexpr int kRowsPerAddress = 3;

template <int kRows, int kVectors>
void plain_kernel(const TileInput& in, const TileOutput& out) {
  tile_kernel<Simd, kRows, kVectors, kRowsPerAddress>(in, out, kRowsPerAddress * in.row_step);
}

template <int kVectors, int... kRows>
constexpr auto make_kernels(std::integer_sequence<int, kRows...> /*rows*/) {
  return std::array<Kernel, sizeof...(kRows)>{plain_kernel<kRows + 1, kVectors>...};
}

constexpr auto kOneVector = make_kernels<1>(std::make_integer_sequence<int, max_rows<Simd>(1)>());
constexpr auto kTwoVectors = make_kernels<2>(std::make_integer_sequence<int, max_rows<Simd>(2)>());

constexpr int kSquare = 8;

// dst[i][j] = src[j][i] for i, j < kSquare.
#if defined(__AVX2__)
void transpose_square(const float* src, std::ptrdiff_t src_step, float* dst,
                      std::ptrdiff_t dst_step) {
  __m256 pairs[kSquare];  // of a register: four columns of row i, of row i + 4
  for (int i = 0; i < 4; ++i) {
    const auto halves = [&](int column) {
      const __m128 low = _mm_loadu_ps(src + i * src_step + column);
      return _mm256_insertf128_ps(_mm256_castps128_ps256(low),
                                  _mm_loadu_ps(src + (i + 4) * src_step + column), 1);
    };
    pairs[i] = halves(0);
    pairs[i + 4] = halves(4);
  }
  for (int c = 0; c < kSquare; c += 4) {
    const __m256 a = _mm256_unpacklo_ps(pairs[c], pairs[c + 1]);
    const __m256 b = _mm256_unpackhi_ps(pairs[c], pairs[c + 1]);
    const __m256 d = _mm256_unpacklo_ps(pairs[c + 2], pairs[c + 3]);
    const __m256 e = _mm256_unpackhi_ps(pairs[c + 2], pairs[c + 3]);
    _mm256_storeu_ps(dst + (c + 0) * dst_step, _mm256_shuffle_ps(a, d, 0x44));
    _mm256_storeu_ps(dst + (c + 1) * dst_step, _mm256_shuffle_ps(a, d, 0xEE));
    _mm256_storeu_ps(dst + (c + 2) * dst_step, _mm256_shuffle_ps(b, e, 0x44));
    _mm256_storeu_ps(dst + (c + 3) * dst_step, _mm256_shuffle_ps(b, e, 0xEE));
  }
}
#else
void transpose_square(const float* src, std::ptrdiff_t src_step, float* dst,
                      std::ptrdiff_t dst_step) {
  for (int i = 0; i < kSquare; ++i) {
    for (int j = 0; j < kSquare; ++j) dst[i * dst_step + j] = src[j * src_step + i];
  }
}
#endif

}  // namespace

void tile(int rows, int vectors, const TileInput& in, const TileOutput& out) {
  const auto i = static_cast<std::size_t>(rows - 1);
  (vectors == 1 ? kOneVector[i] : kTwoVectors[i])(in, out);
}

void tile_grouped(int group, const TileInput& in, const TileOutput& out) {
  FT_CHECK(group == 3 || group == 5);
  if (group == 3) {
    tile_kernel<Simd, 6, 1, 3>(in, out, in.group_step);
  } else {
    tile_kernel<Simd, 10, 1, 5>(in, out, in.group_step);
  }
}

void pack_rows(const float* src, std::ptrdiff_t row_step, int rows, int lanes, int width,
               float* dst) {
  for (int i = 0; i < rows; ++i, src += row_step, dst += width) {
    for (int v = 0; v < width; v += Simd::kCount) {
      const Simd x =
          lanes - v >= Simd::kCount ? Simd::load(src + v) : Simd::load_some(src + v, lanes - v);
      x.store(dst + v);
    }
  }
}

void pack_columns(const float* src, std::ptrdiff_t row_step, int rows, int lanes, int width,
                  float* dst) {
  for (int lane = 0; lane < width; lane += kSquare) {
    const float* from = src + lane * row_step;
    int i = 0;
    if (lane + kSquare <= lanes) {
      for (; i + kSquare <= rows; i += kSquare) {
        transpose_square(from + i, row_step, dst + std::ptrdiff_t{i} * width + lane, width);
      }
    }
    const int last = std::min(lane + kSquare, width);
    for (int j = lane; j < last; ++j) {
      for (int k = i; k < rows; ++k) {
        dst[std::ptrdiff_t{k} * width + j] = j < lanes ? src[j * row_step + k] : 0.0F;
      }
    }
  }
}

}  // namespace foretrain
