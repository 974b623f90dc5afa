#include "models/tensor/tile.h"

#include "models/base/check.h"
#include "models/tensor/tile_kernel.h"

#include <algorithm>
#include <array>
#include <utility>

namespace foretrain {
namespace {

using Kernel = void (*)(const TileInput&, const TileOutput&);

// An address can be a base plus once or twice a step: three rows for each register.
constexpr int kRowsPerAddress = 3;

template <int kRows, int kVectors>
void plain_kernel(const TileInput& in, const TileOutput& out) {
  tile_kernel<Simd, kRows, kVectors, kRowsPerAddress>(in, out, kRowsPerAddress * in.row_step);
}

template <int kVectors, int... kRows>
constexpr auto make_kernels(std::integer_sequence<int, kRows...> /*rows*/) {
  return std::array<Kernel, sizeof...(kRows)>{plain_kernel<kRows + 1, kVectors>...};
}

constexpr auto kOneVector = make_kernels<1>(std::make_integer_sequence<int, max_rows(1)>());
constexpr auto kTwoVectors = make_kernels<2>(std::make_integer_sequence<int, max_rows(2)>());

using Rows = Eigen::internal::find_best_packet<float, 8>::type;
constexpr int kSquare = Eigen::internal::unpacket_traits<Rows>::size;

// dst[i][j] = src[j][i] for i, j < kSquare.
void transpose_square(const float* src, std::ptrdiff_t src_step, float* dst,
                      std::ptrdiff_t dst_step) {
  Eigen::internal::PacketBlock<Rows, kSquare> block;
  for (int i = 0; i < kSquare; ++i) {
    block.packet[i] = Eigen::internal::ploadu<Rows>(src + i * src_step);
  }
  Eigen::internal::ptranspose(block);
  for (int i = 0; i < kSquare; ++i) Eigen::internal::pstoreu(dst + i * dst_step, block.packet[i]);
}

}  // namespace

void tile(int rows, int vectors, const TileInput& in, const TileOutput& out) {
  const auto i = static_cast<std::size_t>(rows - 1);
  (vectors == 1 ? kOneVector[i] : kTwoVectors[i])(in, out);
}

void tile_grouped(int group, const TileInput& in, const TileOutput& out) {
  FT_CHECK(group == 3 || group == 5 || group == 6);
  if (group == 3) {
    tile_kernel<Simd, 6, 1, 3>(in, out, in.group_step);
  } else if (group == 5) {
    tile_kernel<Simd, 10, 1, 5>(in, out, in.group_step);
  } else {
    tile_kernel<Simd, 12, 1, 6>(in, out, in.group_step);
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
