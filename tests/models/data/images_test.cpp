// Conversion of image bytes to a network's input.
#include "models/data/images.h"

#include "models/base/random.h"
#include "models/data/image_source.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

using namespace foretrain;
using Catch::Contains;

namespace {

const Images kThree{.examples = 3,
                    .rows = 1,
                    .columns = 2,
                    .classes = 10,
                    .channels = 1,
                    .pixels = {1, 2, 3, 4, 5, 6},
                    .labels = {7, 8, 9}};

/// Images with random bytes.
Images random_images(int examples, Shape shape, std::uint64_t seed) {
  Images images{.examples = examples,
                .rows = shape.rows,
                .columns = shape.columns,
                .classes = 3,
                .channels = shape.channels,
                .pixels = {},
                .labels = {}};
  Stream stream(seed, "test.images");
  images.pixels.resize(static_cast<std::size_t>(examples * shape.size()));
  for (auto& pixel : images.pixels) pixel = static_cast<std::uint8_t>(stream.below(256));
  for (int i = 0; i < examples; ++i) images.labels.push_back(static_cast<std::uint16_t>(i % 3));
  return images;
}

std::vector<float> gather(const Dataset& dataset, const std::vector<std::int64_t>& which,
                          Stream* augment) {
  Batch batch;
  dataset.gather(which, augment, batch);
  const float* inputs = batch.inputs.data();
  return {inputs, inputs + batch.examples * dataset.shape().image.size()};
}

/// The expected result of `gather` for one image, pixel by pixel in double precision.
std::vector<float> expected(const Images& images, std::int64_t index, const ImageOptions& options,
                            Stream* augment) {
  const int rows = options.crop == 0 ? images.rows : options.crop;
  const int columns = options.crop == 0 ? images.columns : options.crop;
  const int pad = options.pad;
  const int below = images.rows + 2 * pad - rows;
  const int beside = images.columns + 2 * pad - columns;
  int top = below / 2;
  int left = beside / 2;
  bool mirrored = false;
  if (augment != nullptr && options.crop != 0) {
    top = static_cast<int>(augment->below(static_cast<std::uint64_t>(below + 1)));
    left = static_cast<int>(augment->below(static_cast<std::uint64_t>(beside + 1)));
  }
  if (augment != nullptr && options.flip) mirrored = augment->below(2) == 1;
  std::vector<double> values;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int x = left + (mirrored ? columns - 1 - column : column) - pad;
      const int y = top + row - pad;
      const bool inside = x >= 0 && y >= 0 && x < images.columns && y < images.rows;
      for (int channel = 0; channel < images.channels; ++channel) {
        const std::int64_t at =
            ((index * images.rows + y) * images.columns + x) * images.channels + channel;
        values.push_back(inside ? images.pixels[static_cast<std::size_t>(at)] : 0);
      }
    }
  }
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::max(std::sqrt(squares / n), 1 / std::sqrt(n));
  std::vector<float> result;
  result.reserve(values.size());
  for (const double value : values) {
    result.push_back(options.standardise ? static_cast<float>((value - mean) / deviation)
                                         : static_cast<float>(value) / 255.0F);
  }
  return result;
}

}  // namespace

TEST_CASE("images: take keeps the first images with their labels", "[images]") {
  const Images two = take(kThree, 2);
  CHECK(two.examples == 2);
  CHECK(two.features() == 2);
  CHECK(two.classes == 10);
  CHECK(two.pixels == std::vector<std::uint8_t>{1, 2, 3, 4});
  CHECK(two.labels == std::vector<std::uint16_t>{7, 8});
}

TEST_CASE("images: take keeps all where more are asked for", "[images]") {
  const Images all = take(kThree, 100);
  CHECK(all.examples == 3);
  CHECK(all.pixels == kThree.pixels);
  CHECK(all.labels == kThree.labels);
}

TEST_CASE("images: each of the 256 bytes becomes exactly its 255th part", "[images]") {
  Images images{
      .examples = 1, .rows = 16, .columns = 16, .classes = 1, .pixels = {}, .labels = {0}};
  images.pixels.resize(256);
  std::iota(images.pixels.begin(), images.pixels.end(), std::uint8_t{0});
  const auto values = gather(*make_dataset(images, {}), {0}, nullptr);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    CHECK(values[byte] == static_cast<float>(byte) / 255.0F);
  }
}

TEST_CASE("images: examples come in the order that they are asked in", "[images]") {
  const auto dataset = make_dataset(kThree, {});
  CHECK(dataset->examples() == 3);
  CHECK(dataset->shape() == InputShape{.image = {1, 2, 1}, .classes = 10});
  CHECK_FALSE(dataset->worth_prefetching());
  Batch batch;
  dataset->gather(std::vector<std::int64_t>{2, 0, 2}, nullptr, batch);
  CHECK(batch.examples == 3);
  CHECK(batch.labels == std::vector<std::int32_t>{9, 7, 9});
  CHECK(batch.inputs.data()[0] == 5 / 255.0F);
  CHECK(batch.inputs.data()[2] == 1 / 255.0F);
  CHECK(batch.inputs.data()[5] == 6 / 255.0F);
}

TEST_CASE("images: crop and flip and standardising agree with a plain twin", "[images]") {
  const Images images = random_images(5, {9, 7, 3}, 1);
  const std::vector<std::int64_t> which{3, 0, 4, 4, 1};
  for (const auto& [crop, pad] :
       {std::pair(0, 0), {1, 0}, {4, 0}, {7, 0}, {4, 3}, {7, 1}, {8, 2}, {13, 3}}) {
    for (const bool flip : {false, true}) {
      for (const bool standardise : {false, true}) {
        for (const bool training : {false, true}) {
          CAPTURE(crop, pad, flip, standardise, training);
          const ImageOptions options{crop, pad, flip, standardise};
          const auto dataset = make_dataset(images, options);
          CHECK(dataset->worth_prefetching() == (crop != 0 || flip || standardise));
          CHECK(dataset->shape().image == (crop == 0 ? Shape{9, 7, 3} : Shape{crop, crop, 3}));
          Stream draws(7, "test.augment");
          Stream twin(7, "test.augment");
          const auto values = gather(*dataset, which, training ? &draws : nullptr);
          std::vector<float> right;
          for (const std::int64_t i : which) {
            const auto one = expected(images, i, options, training ? &twin : nullptr);
            right.insert(right.end(), one.begin(), one.end());
          }
          REQUIRE(values.size() == right.size());
          for (std::size_t i = 0; i < right.size(); ++i) {
            CHECK(values[i] == Approx(right[i]).margin(2e-5));
          }
          CHECK(draws.bits() == twin.bits());  // the same number of draws
        }
      }
    }
  }
}

TEST_CASE("images: outside of a training a padded crop as large as the image is the image") {
  const Images images = random_images(2, {8, 8, 3}, 1);
  const ImageOptions options{.crop = 8, .pad = 2};
  const auto dataset = make_dataset(images, options);
  CHECK(dataset->worth_prefetching());
  CHECK(gather(*dataset, {1, 0}, nullptr) == gather(*make_dataset(images, {}), {1, 0}, nullptr));
  // In a training a pixel of each side, too, is black in one of a hundred crops.
  Stream draws(7, "test.augment");
  const std::vector<float> values = gather(*dataset, std::vector<std::int64_t>(100, 0), &draws);
  for (const std::size_t corner : {0U, 7U * 3, 56U * 3, 63U * 3}) {
    std::size_t black = 0;
    for (std::size_t i = 0; i < 100; ++i) black += values[i * 192 + corner] == 0 ? 1 : 0;
    CHECK(black > 20);
    CHECK(black < 100);
  }
}

TEST_CASE("images: an image of one grey is standardised to zeros", "[images]") {
  Images images = kThree;
  images.pixels.assign(6, 200);
  const auto values = gather(*make_dataset(images, {.standardise = true}), {1}, nullptr);
  CHECK(values == std::vector<float>{0, 0});
}

TEST_CASE("images: a crop larger than the images is refused", "[images]") {
  const Images images = random_images(1, {9, 7, 1}, 1);
  CHECK_THAT(complaint([&] { make_dataset(images, {.crop = 8}); }),
             Contains("crop 8 does not fit images of 9 x 7 pixels") && Contains("to 7"));
  CHECK_THAT(complaint([&] { make_dataset(images, {.crop = -1}); }), Contains("crop -1"));
  CHECK_THAT(
      complaint([&] { make_dataset(images, {.crop = 12, .pad = 2}); }),
      Contains("crop 12 does not fit images of 9 x 7 pixels with pad 2") && Contains("to 11"));
  CHECK_THAT(complaint([&] { make_dataset(images, {.crop = 4, .pad = 4}); }),
             Contains("with pad 4 a crop of 4 can miss the image"));
}
