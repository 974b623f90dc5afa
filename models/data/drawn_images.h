// Draws coloured images of any size for any number of classes.
#pragma once

#include "models/data/image_source.h"

#include <cstdint>

namespace foretrain {

/// The parameters of the draw.
struct ImagesSpec {
  int side = 224;    ///< pixels, 8 to 512
  int channels = 3;  ///< 1: grey; 3: red, green, blue
  int classes = 10;  ///< 2 to 65,536
  std::int64_t train_count = 10'000;
  std::int64_t test_count = 2'000;
  std::uint64_t seed = 1;
};

/// An image is a mix of a picture of its class, 20 to 45 percent, and a picture of its own, with
/// pixel noise. Both pictures are random colours at 8 x 8 points, linear between them. So the class
/// can be learned, but no single pixel determines it.
///
/// Image i of the training images is a function of (seed, i) alone: it comes from the stream
/// `data.images.train.<i>`; test images come from `data.images.test.<i>`, classes from
/// `data.images.class.<c>`. Images are drawn on demand, so any count costs the same memory. The
/// bytes are the same on every machine: only whole numbers are used.
/// @throws DataError if the numbers of `spec` are out of range
ImageSources draw_images(const ImagesSpec& spec);

}  // namespace foretrain
