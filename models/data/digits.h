// Draws a data set of handwritten-looking digits.
#pragma once

#include "models/data/images.h"

#include <cstdint>

namespace foretrain {

/// Grey images of 28 x 28 pixels with one digit each, 0 (paper) to 255 (ink), in ten classes.
///
/// An image is one of a few prototypes of its digit (models/data/digit_strokes.h), with its points
/// moved a little, turned, scaled, sheared, shifted, drawn with a pen of random thickness, then
/// disturbed by stray lines, specks and pixel noise. It is meant to be learnable but not easy:
/// softmax regression gets about nine of ten right, as on MNIST.
///
/// Image i of the training examples is a function of (seed, i) alone: it comes from the stream
/// `data.digits.train.<i>`, so a smaller draw is the beginning of a larger one. The test examples
/// come from `data.digits.test.<i>`. The bytes are the same on every machine: a pixel is computed
/// by exact operations of double only (no sine, no exponential).
ImageSplit draw_digits(std::int64_t train_count, std::int64_t test_count, std::uint64_t seed);

}  // namespace foretrain
