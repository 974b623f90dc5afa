#include "models/layers/conv_window.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace foretrain {
namespace {

// Numbers of a packed panel that stay in the L1 cache while pixels pass: 24 KB.
constexpr int kPanelFloats = 6 * 1024;
constexpr int kBlockDepth = kPanelFloats / kPanelLanes;
// The most weight rows of a unit, unless pixels are combined: a tile of one vector, tiles of two.
constexpr int kUnitRows = max_rows(1);
// A tile of fewer pixels waits for its additions, longer for a wider window.
constexpr int kLeastBeside = 8;

// Calls body(ky, kys, first, length) for blocks of the window of about kBlockDepth numbers: whole
// runs if they are short, else parts of one run.
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

// Processes one panel of output channels, one block of the window, one image.
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

// With few channels, runs are shorter than a tile is high, and two of them make a tile.
bool pairs_runs(const ConvWindow& window, int lanes) {
  const int run = window.run();
  return window.beside * lanes <= Simd::kCount && (run == 3 || run == 5 || run == 6);
}

// One unit if pixels are combined: the runs of all of them are added up to those of one pixel.
int run_units(const ConvWindow& window) {
  return window.beside > 1 ? 1 : (window.run() + kUnitRows - 1) / kUnitRows;
}

// The weight rows of one unit over some rows of pixels of one image; `in` and `out` at its origin.
void correlate_unit(const ConvWindow& window, int vectors, int lanes, int unit, TileInput in,
                    TileOutput out) {
  const float* image = in.a;
  float* gradient = out.c;
  if (pairs_runs(window, lanes)) {
    const int ky = 2 * unit;
    in.a = image + ky * window.row_floats();
    out.c = gradient + ky * window.run() * out.row_step;
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
    out.c = gradient + (std::ptrdiff_t{ky} * window.run() + first + row) * out.row_step;
    tile(rows, vectors, in, out);
  });
}

// Weight rows of combined pixels, [row of the window][pixel][lane].
using WideGradient = std::array<float, std::size_t{kBlockDepth} * Simd::kCount>;

// Adds up the rows of combined pixels to those of one pixel, for the runs [first, last).
void fold_runs(const ConvWindow& window, int lanes, int first, int last, const WideGradient& wide,
               bool add, float* gradient) {
  const int own = window.size * window.channels;
  for (int ky = first; ky < last; ++ky) {
    for (int i = 0; i < own; ++i) {
      float* to = gradient + std::ptrdiff_t{ky * own + i} * lanes;
      for (int pixel = 0; pixel < window.beside; ++pixel) {
        const int row = ky * window.run() + pixel * window.stride * window.channels + i;
        const float* from = wide.data() + std::ptrdiff_t{row * window.beside + pixel} * lanes;
        const Simd sum = add || pixel > 0 ? Simd::load_some(to, lanes) : Simd::zero();
        Simd::add(sum, Simd::load_some(from, lanes)).store_some(to, lanes);
      }
    }
  }
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
  // The right margin of a row and the left one of the next are contiguous.
  dst = std::fill_n(dst, end + side, 0.0F);
  for (int y = 0; y < shape.rows; ++y, image += row) {
    dst = std::copy_n(image, row, dst);
    dst = std::fill_n(dst, y + 1 < shape.rows ? 2 * side : side + end, 0.0F);
  }
}

ConvWindow beside_window(const ConvWindow& window, int lanes, int simd) {
  const int block_depth = kPanelFloats / (kMaxVectors * simd);
  ConvWindow best = window;
  for (int beside = 2; beside * lanes <= simd; ++beside) {
    ConvWindow next = window;
    next.beside = beside;
    next.out_columns = window.out_columns / beside;
    // In one block, so that the sum of a pixel has the same order.
    if (window.out_columns % beside != 0 || next.depth() > block_depth) continue;
    if (next.out_columns < kLeastBeside) break;
    if (next.out_columns * next.run() < best.out_columns * best.run()) best = next;
  }
  return best;
}

void pack_weights(const float* weights, const ConvWindow& window, int lanes, float* panels) {
  if (window.beside == 1) {
    for_panels(0, lanes, [&](int lane, int count, int /*vectors*/) {
      pack_rows(weights + lane, lanes, window.depth(), count, whole_vectors(count),
                panels + std::ptrdiff_t{lane} * window.depth());
    });
    return;
  }
  std::fill_n(panels, std::ptrdiff_t{window.depth()} * Simd::kCount, 0.0F);
  const int own = window.size * window.channels;
  for (int pixel = 0; pixel < window.beside; ++pixel) {
    for (int ky = 0; ky < window.size; ++ky) {
      const int row = ky * window.run() + pixel * window.stride * window.channels;
      float* to = panels + std::ptrdiff_t{row} * Simd::kCount + pixel * lanes;
      for (int i = 0; i < own; ++i, to += Simd::kCount) {
        std::copy_n(weights + std::ptrdiff_t{ky * own + i} * lanes, lanes, to);
      }
    }
  }
}

void pack_biases(const float* biases, const ConvWindow& window, int lanes, float* bias) {
  if (window.beside == 1) return pack_rows(biases, 0, 1, lanes, whole_vectors(lanes), bias);
  std::fill_n(bias, Simd::kCount, 0.0F);
  for (int pixel = 0; pixel < window.beside; ++pixel) {
    std::copy_n(biases, lanes, bias + std::ptrdiff_t{pixel} * lanes);
  }
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
  lanes *= window.beside;
  const std::ptrdiff_t out_floats = std::ptrdiff_t{window.out_pixels()} * lanes;
  TileInput in;
  in.row_step = window.step();
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
  const bool folds = window.beside > 1;
  WideGradient wide;  // for one image
  TileInput in;
  in.row_step = 1;
  in.group_step = window.row_floats();
  in.step = window.step();
  in.segment_step = window.stride * window.row_floats();
  in.length = window.out_columns;
  TileOutput out;
  out.row_step = window.beside * lanes;
  for (int i = 0; i < images.count; ++i) {
    const float* own = gradients.first + i * gradients.step;
    for_equal_blocks(window.out_rows, rows_most, [&](int y, int rows) {
      in.a = images.first + i * images.step + y * in.segment_step;
      in.segments = rows;
      out.add = y > 0 || (!folds && (add || i > 0));
      for_panels(0, window.beside * lanes, [&](int lane, int count, int vectors) {
        in.b_step = whole_vectors(count);
        in.b = own + std::ptrdiff_t{lane} * window.out_pixels() +
               std::ptrdiff_t{y} * window.out_columns * in.b_step;
        out.c = (folds ? wide.data() : gradient) + lane;
        out.lanes = count;
        for (int unit = first; unit < last; ++unit) {
          correlate_unit(window, vectors, lanes, unit, in, out);
        }
      });
    });
    if (!folds) continue;
    const int runs = pairs_runs(window, lanes) ? 2 : 1;  // for one unit
    fold_runs(window, lanes, first * runs, std::min(last * runs, window.size), wide, add || i > 0,
              gradient);
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
      float* copy = at.copy != nullptr ? at.copy + y * at.copy_row + c : nullptr;
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
