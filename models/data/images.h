// Images held in memory in their original bytes.
#pragma once

#include "models/data/dataset.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// Images of one size with one class each.
struct Images {
  std::int64_t examples = 0;
  int rows = 0;                       ///< height, pixels
  int columns = 0;                    ///< width, pixels
  int classes = 0;                    ///< labels are 0 .. classes - 1
  int channels = 1;                   ///< 1: grey, 0 (paper) to 255 (ink); 3: red, green, blue
  std::vector<std::uint8_t> pixels;   ///< [examples][rows][columns][channels]
  std::vector<std::uint16_t> labels;  ///< [examples]

  [[nodiscard]] int features() const { return rows * columns * channels; }
};

/// The training and the test images.
struct ImageSplit {
  Images train;
  Images test;
};

/// The first `count` images; all of them if there are fewer.
Images take(Images images, std::int64_t count);

/// How an image is converted to the input of a network.
struct ImageOptions {
  int crop = 0;              ///< side of the square cut out; 0: the whole image. In training at a
                             ///< random place, else from the middle
  int pad = 0;               ///< black pixels at each side of an image before `crop`
  bool flip = false;         ///< training: mirror each image with probability 1/2
  bool standardise = false;  ///< per image: (x - mean) / max(deviation, 1 / sqrt(n)), on 0 .. 255;
                             ///< else x / 255

  bool operator==(const ImageOptions&) const = default;
};

/// @throws DataError if the crop is larger than the padded images
std::shared_ptr<const Dataset> make_dataset(Images images, const ImageOptions& options);

}  // namespace foretrain
