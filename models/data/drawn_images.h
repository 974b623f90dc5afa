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

/// Images of one shape before a ground. The class says which of six shapes, which textures
/// on shape, ground, between which colours each of them varies. The image says where the shape is,
/// how large, how the textures lie, how bright, how noisy it is. So the class can be learned, yet
/// no pixel tells it.
///
/// Image i of the training images is a function of (seed, i) alone: it comes from the stream
/// `data.images.train.<i>`; test images come from `data.images.test.<i>`, classes from
/// `data.images.class.<c>`. It is drawn when it is asked for, so any count costs the same memory.
/// The same bytes on every machine: only whole numbers, exact operations of double.
/// @throws DataError where the numbers of `spec` are not as said there
ImageSources draw_images(const ImagesSpec& spec);

}  // namespace foretrain
