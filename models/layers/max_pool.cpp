#include "models/layers/max_pool.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"
#include "models/tensor/eight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace foretrain {
namespace {

// Eight channels are processed at a time, even if fewer remain: excess lanes belong to the
// following pixels, which are written later. Only at the end of an example are they cut off.

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kNoPlace = 255;  // no pixel gets the gradient

/// The number of first pixels of `shape` whose lanes end within the example.
std::int64_t whole_pixels(const Shape& shape) {
  const std::int64_t lanes = (shape.channels + 7) / 8 * 8;
  return shape.size() < lanes ? 0 : (shape.size() - lanes) / shape.channels + 1;
}

/// The part of a window inside the image.
struct Pixels {
  const float* first = nullptr;  // its first pixel
  std::int64_t row = 0;          // numbers from a row to the next
  std::int64_t channels = 0;
  int rows = 0;
  int columns = 0;
  int place = 0;      // place of its first pixel in the window
  int size = 0;       // side of the window: places from a row to the next
  bool relu = false;  // after the pool
};

/// `kSize`: rows and columns if known at compile time, else 0. `kWhole`: all eight lanes.
template <int kSize, bool kWhole>
void find_largest(const Pixels& window, std::int64_t channel, std::int64_t count, float* output,
                  std::uint8_t* places) {
  const int rows = kSize > 0 ? kSize : window.rows;
  const int columns = kSize > 0 ? kSize : window.columns;
  const auto load = [&](const float* from) { return kWhole ? load8(from) : load8(from, count); };
  Floats8 best = load(window.first + channel);
  Ints8 place = window.place + Ints8{};
  for (int y = 0; y < rows; ++y) {
    const float* from = window.first + y * window.row + channel;
    const int row_place = window.place + y * window.size;
    for (int x = 0; x < columns; ++x, from += window.channels) {
      if (x == 0 && y == 0) continue;  // already in `best`
      const Floats8 next = load(from);
      const Ints8 better = (next > best) | ~(next <= kInfinity);  // or it is NaN
      best = better ? next : best;
      place = better ? (row_place + x) + Ints8{} : place;
    }
  }
  if (window.relu) {
    place = best > Floats8{} ? place : kNoPlace + Ints8{};
    best = best < Floats8{} ? Floats8{} : best;
  }
  if (kWhole) {
    store8(best, output);
    if (places != nullptr) store_bytes8(place, places);
  } else {
    store8(best, output, count);
    if (places != nullptr) store_bytes8(place, places, count);
  }
}

/// Pools adjacent windows, `step` numbers apart, all inside the image.
template <int kSize>
void pool_row(Pixels window, std::int64_t step, int count, float* output, std::uint8_t* places) {
  const std::int64_t channels = window.channels;
  for (; count > 0; --count, window.first += step, output += channels) {
    for (std::int64_t c = 0; c < channels; c += 8) {
      find_largest<kSize, true>(window, c, 8, output + c, places == nullptr ? nullptr : places + c);
    }
    if (places != nullptr) places += channels;
  }
}

/// Gradients of one row of inputs in a row of tiles: those of outputs whose maximum an input is.
/// `place`: of the first input of a tile. `kSize`: the tile's columns if known, else 0.
template <int kSize>
void spread_row(const float* output_gradient, const std::uint8_t* places, int place, int size,
                int count, std::int64_t channels, float* input_gradient) {
  const int columns = kSize > 0 ? kSize : size;
  for (; count > 0; --count, output_gradient += channels, places += channels) {
    for (int k = 0; k < columns; ++k, input_gradient += channels) {
      for (std::int64_t c = 0; c < channels; c += 8) {
        store8(keep8(load_bytes8(places + c) == place + k, load8(output_gradient + c)),
               input_gradient + c);
      }
    }
  }
}

/// An output pixel whose window contains an input pixel.
struct Seen {
  std::int64_t output = 0;  // its first number
  int place = 0;            // place of the input pixel in its window
};

/// Sums the gradients of the outputs whose maximum this pixel is. `kWhole`: all eight lanes.
template <bool kWhole>
Floats8 gather(std::span<const Seen> seen_by, const float* output_gradient,
               const std::uint8_t* places, std::int64_t count) {
  Floats8 sum{};
  for (const Seen& seen : seen_by) {
    if (kWhole) {
      sum += keep8(load_bytes8(places + seen.output) == seen.place,
                   load8(output_gradient + seen.output));
    } else {
      sum += keep8(load_bytes8(places + seen.output, count) == seen.place,
                   load8(output_gradient + seen.output, count));
    }
  }
  return sum;
}

}  // namespace

MaxPool::MaxPool(Shape input, int size, int stride, int padding, bool relu)
    : input_(input), size_(size), stride_(stride), padding_(padding), relu_(relu) {
  FT_CHECK_OP(size, >=, 1);
  FT_CHECK_OP(size, <=, relu ? kSizeMaxRelu : kSizeMax);
  FT_CHECK_OP(stride, >=, 1);
  FT_CHECK_OP(padding, >=, 0);
  FT_CHECK_OP(2 * padding, <=, size);
  FT_CHECK_OP(size, <=, std::min(input.rows, input.columns) + 2 * padding);
  output_ = {(input.rows + 2 * padding - size) / stride + 1,
             (input.columns + 2 * padding - size) / stride + 1, input.channels};
  rows_seeing_ = seeing(input.rows, output_.rows);
  columns_seeing_ = seeing(input.columns, output_.columns);
}

MaxPool::Range MaxPool::seen(int output, int length) const {
  const int first = output * stride_ - padding_;
  return {std::max(first, 0), std::min(first + size_, length)};
}

std::vector<MaxPool::Range> MaxPool::seeing(int length, int outputs) const {
  std::vector<Range> ranges(static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i) {
    Range& range = ranges[static_cast<std::size_t>(i)];
    while (range.first < outputs && seen(range.first, length).last <= i) ++range.first;
    range.last = range.first;
    while (range.last < outputs && seen(range.last, length).first <= i) ++range.last;
  }
  return ranges;
}

std::string MaxPool::name() const {
  return fmt::format("max_pool {0}x{0} stride {1}{2}{3}", size_, stride_,
                     padding_ > 0 ? fmt::format(" pad {}", padding_) : "", relu_ ? " + relu" : "");
}

Cost MaxPool::forward_cost(std::int64_t batch) const {
  const std::int64_t outputs = batch * output_.size();
  // Comparisons; each output with its place.
  return activations_cost(static_cast<double>(outputs) * size_ * size_, 4 * batch * input_.size(),
                          (4 + 1) * outputs);
}

Cost MaxPool::backward_cost(std::int64_t batch, bool input_gradient) const {
  if (!input_gradient) return {};
  const std::int64_t outputs = batch * output_.size();
  // Additions.
  return activations_cost(static_cast<double>(outputs), (4 + 1) * outputs,
                          4 * batch * input_.size());
}

void MaxPool::forward_edge(const float* input, int oy, int ox, float* output,
                           std::uint8_t* places) const {
  const std::int64_t channels = input_.channels;
  const Range rows = seen(oy, input_.rows);
  const Range columns = seen(ox, input_.columns);
  const std::int64_t row = input_.columns * channels;
  const Pixels window{.first = input + rows.first * row + columns.first * channels,
                      .row = row,
                      .channels = channels,
                      .rows = rows.last - rows.first,
                      .columns = columns.last - columns.first,
                      .place = (rows.first - oy * stride_ + padding_) * size_ + columns.first -
                               ox * stride_ + padding_,
                      .size = size_,
                      .relu = relu_};
  const std::int64_t out = (static_cast<std::int64_t>(oy) * output_.columns + ox) * channels;
  // Numbers up to the end of the example, from the last pixel of the window, or from the output.
  const std::int64_t left = std::min(
      input_.size() - (rows.last - 1) * row - (columns.last - 1) * channels, output_.size() - out);
  for (std::int64_t c = 0; c < channels; c += 8) {
    std::uint8_t* place = places == nullptr ? nullptr : places + out + c;
    if (c + 8 <= left) {
      find_largest<0, true>(window, c, 8, output + out + c, place);
    } else {
      const std::int64_t count = std::min<std::int64_t>(8, channels - c);
      find_largest<0, false>(window, c, count, output + out + c, place);
    }
  }
}

// The number of windows of output row `oy` whose lanes end within the example, in input and output.
int MaxPool::unhurt_columns(int oy) const {
  const std::int64_t outputs =
      whole_pixels(output_) - static_cast<std::int64_t>(oy) * output_.columns;
  // The last pixel of the window at ox is `ox` strides after this one.
  const std::int64_t corner =
      static_cast<std::int64_t>(oy * stride_ - padding_ + size_ - 1) * input_.columns - padding_ +
      size_ - 1;
  const std::int64_t inputs = (whole_pixels(input_) - corner + stride_ - 1) / stride_;
  return static_cast<int>(std::max<std::int64_t>(0, std::min(outputs, inputs)));
}

void MaxPool::forward_one(const float* input, float* output, std::uint8_t* places) const {
  const std::int64_t channels = input_.channels;
  const auto pool = size_ == 2 ? pool_row<2> : size_ == 3 ? pool_row<3> : pool_row<0>;
  Pixels window{.row = input_.columns * channels,
                .channels = channels,
                .rows = size_,
                .columns = size_,
                .size = size_,
                .relu = relu_};
  // Windows [first, last) of a row are between the sides.
  const int first = std::min((padding_ + stride_ - 1) / stride_, output_.columns);
  const int inside =
      std::clamp((input_.columns + padding_ - size_) / stride_ + 1, first, output_.columns);
  for (int oy = 0; oy < output_.rows; ++oy) {
    const Range rows = seen(oy, input_.rows);
    const bool whole = rows.last - rows.first == size_;
    const int last = whole ? std::clamp(unhurt_columns(oy), first, inside) : first;
    for (int ox = 0; ox < first; ++ox) forward_edge(input, oy, ox, output, places);
    if (first < last) {
      const std::int64_t out = (static_cast<std::int64_t>(oy) * output_.columns + first) * channels;
      window.first = input + rows.first * window.row + (first * stride_ - padding_) * channels;
      pool(window, stride_ * channels, last - first, output + out,
           places == nullptr ? nullptr : places + out);
    }
    for (int ox = std::max(first, last); ox < output_.columns; ++ox) {
      forward_edge(input, oy, ox, output, places);
    }
  }
}

void MaxPool::backward_one(const float* output_gradient, const std::uint8_t* places,
                           float* input_gradient) const {
  const std::int64_t channels = input_.channels;
  std::array<Seen, kSizeMax * kSizeMax> seen_by;
  std::int64_t in = 0;
  for (int y = 0; y < input_.rows; ++y) {
    const Range rows = rows_seeing_[static_cast<std::size_t>(y)];
    for (int x = 0; x < input_.columns; ++x, in += channels) {
      const Range columns = columns_seeing_[static_cast<std::size_t>(x)];
      Seen* end = seen_by.data();
      for (int oy = rows.first; oy < rows.last; ++oy) {
        const int row_place = (y - oy * stride_ + padding_) * size_;
        for (int ox = columns.first; ox < columns.last; ++ox) {
          const std::int64_t pixel = static_cast<std::int64_t>(oy) * output_.columns + ox;
          *end++ = {pixel * channels, row_place + x - ox * stride_ + padding_};
        }
      }
      // Numbers up to the end of the example, from this pixel or the last output that covers it.
      const std::int64_t left =
          std::min(input_.size() - in,
                   end == seen_by.data() ? input_.size() : output_.size() - end[-1].output);
      for (std::int64_t c = 0; c < channels; c += 8) {
        float* to = input_gradient + in + c;
        if (c + 8 <= left) {
          store8(gather<true>({seen_by.data(), end}, output_gradient + c, places + c, 8), to);
        } else {
          const std::int64_t count = std::min<std::int64_t>(8, channels - c);
          store8(gather<false>({seen_by.data(), end}, output_gradient + c, places + c, count), to,
                 count);
        }
      }
    }
  }
}

// Adjacent windows: each output is read once for each of its rows, each input written once.
void MaxPool::backward_tiles(const float* output_gradient, const std::uint8_t* places,
                             float* input_gradient) const {
  const std::int64_t channels = input_.channels;
  const auto spread = size_ == 2 ? spread_row<2> : spread_row<0>;
  const std::int64_t covered = static_cast<std::int64_t>(output_.columns) * size_ * channels;
  const std::int64_t row = input_.columns * channels;
  for (int y = 0; y < input_.rows; ++y, input_gradient += row) {
    const int oy = y / size_;
    if (oy >= output_.rows) {
      std::fill_n(input_gradient, row, 0.0F);
      continue;
    }
    const int place = (y - oy * size_) * size_;
    // The outputs, and tiles of the input, whose lanes end within the example.
    const std::int64_t pixel = static_cast<std::int64_t>(oy) * output_.columns;
    const std::int64_t tiles = (whole_pixels(input_) - y * input_.columns) / size_;
    const int whole = static_cast<int>(std::clamp<std::int64_t>(
        std::min(whole_pixels(output_) - pixel, tiles), 0, output_.columns));
    std::int64_t out = pixel * channels;
    spread(output_gradient + out, places + out, place, size_, whole, channels, input_gradient);
    out += whole * channels;
    float* to = input_gradient + static_cast<std::int64_t>(whole) * size_ * channels;
    for (int ox = whole; ox < output_.columns; ++ox, out += channels) {
      for (int k = 0; k < size_; ++k) {
        for (int c = 0; c < channels; ++c) {
          *to++ = places[out + c] == place + k ? output_gradient[out + c] : 0.0F;
        }
      }
    }
    std::fill(input_gradient + covered, input_gradient + row, 0.0F);
  }
}

void MaxPool::forward(const ForwardPass& pass) const {
  auto* places = pass.dropout == nullptr ? nullptr : reinterpret_cast<std::uint8_t*>(pass.saved);
  for_examples(*pass.parallel, pass.batch, input_.size(),
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const std::int64_t out = i * output_.size();
                   forward_one(pass.input + i * input_.size(), pass.output + out,
                               places == nullptr ? nullptr : places + out);
                 }
               });
}

void MaxPool::backward(const BackwardPass& pass) const {
  if (pass.input_gradient == nullptr) return;
  const auto* places = reinterpret_cast<const std::uint8_t*>(pass.saved);
  const bool tiles = stride_ == size_ && padding_ == 0;
  for_examples(*pass.parallel, pass.batch, input_.size(),
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const float* from = pass.output_gradient + i * output_.size();
                   const std::uint8_t* place = places + i * output_.size();
                   float* to = pass.input_gradient + i * input_.size();
                   tiles ? backward_tiles(from, place, to) : backward_one(from, place, to);
                 }
               });
}

}  // namespace foretrain
