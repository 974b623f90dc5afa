#include "models/layers/conv_spread.h"

#include <algorithm>

namespace foretrain {
namespace {

// The products of a row of output pixels, with zeros on both sides, so that each input pixel adds
// up the same number of terms.
struct SpreadRow {
  explicit SpreadRow(const ConvWindow& window, int simd = Simd::kCount)
      : run(whole_vectors(window.run(), simd)),
        pixel(window.size * run),
        margin((window.size - 1) / window.stride),
        // Windows that begin at or before the last column; there may be more of them than outputs.
        pixels(std::max(window.out_columns, (window.columns - 1) / window.stride + 1) + margin) {}

  std::ptrdiff_t run;    // floats of one ky
  std::ptrdiff_t pixel;  // floats of one output pixel
  int margin;            // pixels before the first one
  int pixels;            // all pixels
};

// Few channels are added up in narrower registers: pixels are so close in `spread` that most loads
// of a wide register would touch two cache lines.
constexpr int narrow_of(int simd) { return std::min(8, simd); }
using Narrow = Register<narrow_of(Simd::kCount)>;

bool has_few_channels(const ConvWindow& window) { return window.channels <= Narrow::kCount; }

int image_lanes(const ConvWindow& window, int simd = Simd::kCount) {
  const int narrow = narrow_of(simd);
  return window.channels <= narrow ? narrow : whole_vectors(window.channels, simd);
}

// Computes one row of output pixels, gradient: [pixel][channels].
void spread_pixels(const ConvWindow& window, const SpreadRow& row, const float* gradient,
                   int channels, const float* panels, float* spread) {
  TileInput in;
  in.row_step = channels;
  in.length = channels;
  in.b = panels;
  TileOutput out;
  out.row_step = row.pixel;
  for (int ky = 0; ky < window.size; ++ky) {
    for_panels(0, window.run(), [&](int lane, int count, int vectors) {
      in.b_step = whole_vectors(count);
      out.lanes = whole_vectors(count);
      for_equal_blocks(window.out_columns, max_rows(vectors), [&](int pixel, int pixels) {
        in.a = gradient + std::ptrdiff_t{pixel} * channels;
        out.c = spread + (row.margin + pixel) * row.pixel + ky * row.run + lane;
        tile(pixels, vectors, in, out);
      });
      in.b += std::ptrdiff_t{channels} * in.b_step;
    });
  }
}

template <class V, int kTaps>
void add_taps(const float* at, std::ptrdiff_t step, int taps, float* image) {
  const int count = kTaps > 0 ? kTaps : taps;
  V sum = V::load(image);
#pragma GCC unroll 8
  for (int tap = 0; tap < count; ++tap, at += step) sum = V::add(sum, V::load(at));
  sum.store(image);
}

// Adds the products of one ky of a row of output pixels to the row of the image under it. `kTaps`:
// taps of every pixel if known at compile time, else 0.
template <class V, int kTaps>
void add_row(const ConvWindow& window, const SpreadRow& row, const float* spread, float* image) {
  const std::ptrdiff_t step = std::ptrdiff_t{window.stride} * window.channels - row.pixel;
  const int lanes = image_lanes(window);
  spread += row.margin * row.pixel;
  // Column x is at kx = x % stride of the last window that contains it.
  for (int x = 0; x < window.columns; spread += row.pixel) {
    for (int kx = 0; kx < window.stride && x < window.columns; ++kx, ++x) {
      const int taps = (window.size - kx + window.stride - 1) / window.stride;
      const float* first = spread + kx * window.channels;
      for (int c = 0; c < lanes; c += V::kCount, image += V::kCount) {
        add_taps<V, kTaps>(first + c, step, taps, image);
      }
    }
  }
}

using AddRow = void (*)(const ConvWindow&, const SpreadRow&, const float*, float*);

template <class V>
AddRow add_row_of(const ConvWindow& window) {
  if (window.stride == 1 && window.size == 5) return add_row<V, 5>;
  if (window.stride == 1 && window.size == 3) return add_row<V, 3>;
  return add_row<V, 0>;
}

}  // namespace

std::size_t spread_weights_floats(const ConvWindow& window, int channels, int simd) {
  return static_cast<std::size_t>(window.size) * whole_vectors(window.run(), simd) * channels;
}

void pack_spread_weights(const float* weights, const ConvWindow& window, int channels,
                         float* panels) {
  for (int ky = 0; ky < window.size; ++ky) {
    for_panels(0, window.run(), [&](int lane, int count, int /*vectors*/) {
      const int width = whole_vectors(count);
      pack_columns(weights + (std::ptrdiff_t{ky} * window.run() + lane) * channels, channels,
                   channels, count, width, panels);
      panels += std::ptrdiff_t{channels} * width;
    });
  }
}

std::size_t spread_floats(const ConvWindow& window, int simd) {
  const SpreadRow row(window, simd);
  // One more vector: the last load of a pixel extends beyond its channels.
  return static_cast<std::size_t>(row.pixels) * row.pixel + simd +
         static_cast<std::size_t>(window.rows) * window.columns * image_lanes(window, simd);
}

void spread_gradient(const ConvWindow& window, const float* gradient, int channels,
                     const float* panels, Shape input, float* scratch, float* input_gradient) {
  const SpreadRow row(window);
  const std::ptrdiff_t spread_size = row.pixels * row.pixel + Simd::kCount;
  const int lanes = image_lanes(window);
  const std::ptrdiff_t row_floats = std::ptrdiff_t{window.columns} * lanes;
  float* image = scratch + spread_size;
  const AddRow add =
      has_few_channels(window) ? add_row_of<Narrow>(window) : add_row_of<Simd>(window);
  std::fill_n(scratch, spread_size + window.rows * row_floats, 0.0F);
  for (int oy = 0; oy < window.out_rows; ++oy) {
    const std::ptrdiff_t first = std::ptrdiff_t{oy} * window.out_columns;
    spread_pixels(window, row, gradient + first * channels, channels, panels, scratch);
    for (int ky = 0; ky < window.size; ++ky) {
      add(window, row, scratch + ky * row.run, image + (oy * window.stride + ky) * row_floats);
    }
  }
  const int padding = (window.rows - input.rows) / 2;
  const float* end = input_gradient + input.size();
  for (int y = 0; y < input.rows; ++y) {
    const float* at = image + (y + padding) * row_floats + std::ptrdiff_t{padding} * lanes;
    for (int x = 0; x < input.columns; ++x, at += lanes, input_gradient += input.channels) {
      // Excess lanes belong to the following pixels, which are written later.
      if (has_few_channels(window) && end - input_gradient >= Narrow::kCount) {
        Narrow::load(at).store(input_gradient);
        continue;
      }
      for (int c = 0; c < input.channels; c += Narrow::kCount) {
        Narrow::load(at + c).store_some(input_gradient + c,
                                        std::min(Narrow::kCount, input.channels - c));
      }
    }
  }
}

}  // namespace foretrain
