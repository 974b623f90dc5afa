// Labelled examples held in memory as they came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// Examples of one size with one class each: grey images as bytes, one row an example.
/// Immutable once made, so workers of one process share it.
struct Dataset {
  std::int64_t examples = 0;
  int rows = 0;                      ///< height of an image, pixels
  int columns = 0;                   ///< width of an image, pixels
  int classes = 0;                   ///< labels are 0 .. classes - 1
  std::vector<std::uint8_t> pixels;  ///< [examples][rows][columns], 0 (paper) to 255 (ink)
  std::vector<std::uint8_t> labels;  ///< [examples]

  [[nodiscard]] int features() const { return rows * columns; }
};

/// What a training needs: examples to learn from, and others to be judged by.
struct DataSplit {
  Dataset train;
  Dataset test;
};

/// The first `count` examples; all of them where there are no more.
Dataset take(Dataset dataset, std::int64_t count);

}  // namespace foretrain
