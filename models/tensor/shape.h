// The size of one example between two layers.
#pragma once

#include <cstdint>
#include <string>

namespace foretrain {

/// An image of `rows` x `columns` pixels with `channels` numbers each; a plain vector is one pixel.
/// In memory the channels of a pixel are contiguous: [rows][columns][channels]. So the vector lanes
/// of a convolution are output channels, and inputs need no rearrangement.
struct Shape {
  int rows = 1;
  int columns = 1;
  int channels = 1;

  [[nodiscard]] constexpr std::int64_t pixels() const {
    return static_cast<std::int64_t>(rows) * columns;
  }
  [[nodiscard]] constexpr std::int64_t size() const { return pixels() * channels; }
  bool operator==(const Shape&) const = default;
};

/// `28x28x1` (rows, columns, channels), or `400` for a plain vector.
std::string to_string(Shape shape);

}  // namespace foretrain
