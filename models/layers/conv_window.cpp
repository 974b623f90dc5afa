#include "models/layers/conv_window.h"

#include <algorithm>

namespace foretrain {
namespace {

// Numbers of a packed panel that stay in the first cache while pixels pass by: 24 KB.
constexpr int kPanelFloats = 6 * 1024;
constexpr int kBlockDepth = kPanelFloats / kPanelLanes;
// Weight rows of one unit: a tile of one vector, or tiles of two.
constexpr int kUnitRows = max_rows(1);

// Calls body(ky, kys, first, length) for blocks of the window of about kBlockDepth numbers: whole
// runs where they are short, else parts of one run.
template <class Body>
void for_window_blocks(const ConvWindow& window, const Body& body) {
  if (window.run() <= kBlockDepth) {
    for_equal_blocks(window.size, kBlockDepth / window.run(),
                     [&](int ky, int kys) { body(ky, kys, 0, window.run()); });
    return;
  }
  for (int ky = 0; ky < window.size; ++ky) {
    for_equal_blocks(window.run(), kBlockDepth,
                     [&](int first, int length) { body(ky, 1, first, length); });
  }
}

// One panel of output channels, one block of the window, one image.
void correlate_image(const ConvWindow& window, int vectors, TileInput in, TileOutput out,
                     int lanes) {
  const float* image = in.a;
  float* output = out.c;
  const std::ptrdiff_t row_floats = window.stride * window.row_floats();
  for (int y = 0; y < window.out_rows; ++y) {
    const float* row = image + y * row_floats;
    float* out_row = output + std::ptrdiff_t{y} * window.out_columns * lanes;
    for_equal_blocks(window.out_columns, max_rows(vectors), [&](int x, int pixels) {
      in.a = row + x * in.row_step;
      out.c = out_row + std::ptrdiff_t{x} * lanes;
      tile(pixels, vectors, in, out);
    });
  }
}

// Few channels: runs are shorter than a tile is high, and two of them make a tile.
bool pairs_runs(const ConvWindow& window, int lanes) {
  return lanes <= Simd::kCount && (window.run() == 3 || window.run() == 5);
}

int run_units(const ConvWindow& window) { return (window.run() + kUnitRows - 1) / kUnitRows; }

// The weight rows of one unit over some rows of pixels of one image; `in` and `out` at its origin.
void correlate_unit(const ConvWindow& window, int vectors, int lanes, int unit, TileInput in,
                    TileOutput out) {
  const float* image = in.a;
  float* gradient = out.c;
  if (pairs_runs(window, lanes)) {
    const int ky = 2 * unit;
    in.a = image + ky * window.row_floats();
    out.c = gradient + std::ptrdiff_t{ky} * window.run() * lanes;
    if (ky + 1 == window.size) {
      tile(window.run(), 1, in, out);
    } else {
      tile_grouped(window.run(), in, out);
    }
    return;
  }
  const int units = run_units(window);
  const int ky = unit / units;
  const int first = window.run() * (unit % units) / units;
  const int last = window.run() * (unit % units + 1) / units;
  for_equal_blocks(last - first, max_rows(vectors), [&](int row, int rows) {
    in.a = image + ky * window.row_floats() + first + row;
    out.c = gradient + (std::ptrdiff_t{ky} * window.run() + first + row) * lanes;
    tile(rows, vectors, in, out);
  });
}

}  // namespace

ConvWindow conv_window(Shape input, Shape output, const ConvShape& shape) {
  return {input.channels,
          shape.size,
          shape.stride,
          input.rows + 2 * shape.padding,
          input.columns + 2 * shape.padding,
          output.rows,
          output.columns};
}

ConvWindow full_window(Shape input, Shape output, const ConvShape& shape) {
  const int padding = shape.size - 1 - shape.padding;
  return {output.channels, shape.size,   1, output.rows + 2 * padding, output.columns + 2 * padding,
          input.rows,      input.columns};
}

void pad_image(const float* image, Shape shape, int padding, float* dst) {
  const std::ptrdiff_t row = std::ptrdiff_t{shape.columns} * shape.channels;
  const std::ptrdiff_t side = std::ptrdiff_t{padding} * shape.channels;
  const std::ptrdiff_t end = padding * (row + 2 * side);
  // The right margin of a row and the left one of the next are side by side.
  dst = std::fill_n(dst, end + side, 0.0F);
  for (int y = 0; y < shape.rows; ++y, image += row) {
    dst = std::copy_n(image, row, dst);
    dst = std::fill_n(dst, y + 1 < shape.rows ? 2 * side : side + end, 0.0F);
  }
}

void pack_weights(const float* weights, int depth, int lanes, float* panels) {
  for_panels(0, lanes, [&](int lane, int count, int /*vectors*/) {
    pack_rows(weights + lane, lanes, depth, count, whole_vectors(count),
              panels + std::ptrdiff_t{lane} * depth);
  });
}

void pack_flipped_weights(const float* weights, const ConvWindow& full, int lanes, float* panels) {
  const int window = full.size * full.size;
  for_panels(0, lanes, [&](int lane, int count, int /*vectors*/) {
    const int width = whole_vectors(count);
    float* panel = panels + std::ptrdiff_t{lane} * full.depth();
    for (int k = 0; k < window; ++k) {
      const float* src = weights + (std::ptrdiff_t{window - 1 - k} * lanes + lane) * full.channels;
      pack_columns(src, full.channels, full.channels, count, width,
                   panel + std::ptrdiff_t{k} * full.channels * width);
    }
  });
}

void correlate(const ConvWindow& window, const ConvImages& images, const float* panels, int lanes,
               const float* bias, bool relu, float* output) {
  const std::ptrdiff_t out_floats = std::ptrdiff_t{window.out_pixels()} * lanes;
  TileInput in;
  in.row_step = std::ptrdiff_t{window.stride} * window.channels;
  in.segment_step = window.row_floats();
  TileOutput out;
  out.row_step = lanes;
  for_window_blocks(window, [&](int ky, int kys, int first, int length) {
    in.segments = kys;
    in.length = length;
    out.add = ky > 0 || first > 0;
    out.relu = relu && ky + kys == window.size && first + length == window.run();
    for_panels(0, lanes, [&](int lane, int count, int vectors) {
      in.b_step = whole_vectors(count);
      in.b = panels + std::ptrdiff_t{lane} * window.depth() +
             (std::ptrdiff_t{ky} * window.run() + first) * in.b_step;
      out.lanes = count;
      out.bias = bias != nullptr ? bias + lane : nullptr;
      for (int image = 0; image < images.count; ++image) {
        in.a = images.first + image * images.step + ky * window.row_floats() + first;
        out.c = output + image * out_floats + lane;
        correlate_image(window, vectors, in, out, lanes);
      }
    });
  });
}

int weight_units(const ConvWindow& window, int lanes) {
  if (pairs_runs(window, lanes)) return (window.size + 1) / 2;
  return window.size * run_units(window);
}

void correlate_weights(const ConvWindow& window, const ConvImages& images,
                       const ConvImages& gradients, int lanes, int first, int last, bool add,
                       float* gradient) {
  const int rows_most = std::max(1, kBlockDepth / window.out_columns);
  TileInput in;
  in.row_step = 1;
  in.group_step = window.row_floats();
  in.step = std::ptrdiff_t{window.stride} * window.channels;
  in.segment_step = window.stride * window.row_floats();
  in.length = window.out_columns;
  TileOutput out;
  out.row_step = lanes;
  for (int i = 0; i < images.count; ++i) {
    const float* own = gradients.first + i * gradients.step;
    for_equal_blocks(window.out_rows, rows_most, [&](int y, int rows) {
      in.a = images.first + i * images.step + y * in.segment_step;
      in.segments = rows;
      out.add = add || i > 0 || y > 0;
      for_panels(0, lanes, [&](int lane, int count, int vectors) {
        in.b_step = whole_vectors(count);
        in.b = own + std::ptrdiff_t{lane} * window.out_pixels() +
               std::ptrdiff_t{y} * window.out_columns * in.b_step;
        out.c = gradient + lane;
        out.lanes = count;
        for (int unit = first; unit < last; ++unit) {
          correlate_unit(window, vectors, lanes, unit, in, out);
        }
      });
    });
  }
}

void gate_image(const ConvGradient& at, Shape output) {
  const int channels = output.channels;
  std::fill_n(at.bias, whole_vectors(channels), 0.0F);
  for (int y = 0; y < output.rows; ++y) {
    const std::ptrdiff_t row = std::ptrdiff_t{y} * output.columns;
    for (int c = 0; c < channels; c += Simd::kCount) {
      const int lanes = std::min(Simd::kCount, channels - c);
      const int panel = c / kPanelLanes * kPanelLanes;
      const int width = whole_vectors(std::min(kPanelLanes, channels - panel));
      float* packed = at.panels + panel * output.pixels() + row * width + (c - panel);
      float* copy = at.copy != nullptr
                        ? at.copy + std::ptrdiff_t{y} * at.copy_columns * channels + c
                        : nullptr;
      Simd sum = Simd::load(at.bias + c);
      for (int x = 0; x < output.columns; ++x, packed += width) {
        const std::ptrdiff_t offset = (row + x) * channels + c;
        Simd g = Simd::load_some(at.gradient + offset, lanes);
        if (at.output != nullptr) {
          g = Simd::gated(g, Simd::load_some(at.output + offset, lanes));
        }
        g.store(packed);
        if (copy != nullptr) g.store_some(copy + std::ptrdiff_t{x} * channels, lanes);
        sum = Simd::add(sum, g);
      }
      sum.store(at.bias + c);
    }
  }
}

}  // namespace foretrain
