// Draws coloured images of any size for any number of classes.
#pragma once

#include "models/data/image_source.h"

#include <cstdint>

namespace foretrain {

/// What is drawn.
struct ImagesSpec {
  int side = 224;    ///< pixels, 8 to 512
  int channels = 3;  ///< 1: grey; 3: red, green, blue
  int classes = 10;  ///< 2 to 65,536
  std::int64_t train_count = 10'000;
  std::int64_t test_count = 2'000;
  std::uint64_t seed = 1;
};

/// The mean of an image's class mixed with a picture of its own, 20 to 45 percent of it the
/// class's, and pixel noise. Both pictures are random colours at 8 x 8 points, linear between them.
/// So the class can be learned, yet no pixel tells it.
///
/// Image i of the training images is a function of (seed, i) alone: it comes from the stream
/// `data.images.train.<i>`; test images come from `data.images.test.<i>`, classes from
/// `data.images.class.<c>`. It is drawn when it is asked for, so any count costs the same memory.
/// The same bytes on every machine: only whole numbers.
/// @throws DataError where the numbers of `spec` are not as said there
ImageSources draw_images(const ImagesSpec& spec);

}  // namespace foretrain
