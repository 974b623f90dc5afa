// Drawn images: reproducible from a seed, learnable, yet varied.
#include "models/data/drawn_images.h"

#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

using namespace foretrain;
using Catch::Contains;

namespace {

std::vector<std::uint8_t> pixels_of(const ImageSource& source, std::int64_t index) {
  std::vector<std::uint8_t> scratch;
  const std::uint8_t* pixels = source.pixels(index, scratch);
  return {pixels, pixels + source.image().size()};
}

/// FNV-1a over the labels and pixels of the first images.
std::uint64_t checksum(const ImageSource& source, std::int64_t count) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
  for (std::int64_t i = 0; i < count; ++i) {
    add(static_cast<std::uint64_t>(source.label(i)));
    for (const std::uint8_t pixel : pixels_of(source, i)) add(pixel);
  }
  return hash;
}

/// Mean colours of a grid of 4 x 4 fields.
std::array<double, 48> thumbnail(const ImageSource& source, std::int64_t index) {
  const auto pixels = pixels_of(source, index);
  const int side = source.image().rows;
  std::array<double, 48> mean{};
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      for (int channel = 0; channel < 3; ++channel) {
        mean[static_cast<std::size_t>((y * 4 / side * 4 + x * 4 / side) * 3 + channel)] +=
            pixels[static_cast<std::size_t>((y * side + x) * 3 + channel)] * 16.0 / side / side;
      }
    }
  }
  return mean;
}

}  // namespace

TEST_CASE("drawn images: any side and count and number of classes", "[images]") {
  for (const ImagesSpec& spec :
       {ImagesSpec{.side = 8, .channels = 1, .classes = 2, .train_count = 3, .test_count = 1},
        ImagesSpec{.side = 33, .channels = 3, .classes = 1'000, .train_count = 40},
        ImagesSpec{.side = 512, .classes = 10, .train_count = 1'000'000'000, .test_count = 0}}) {
    CAPTURE(spec.side);
    const ImageSources sources = draw_images(spec);
    CHECK(sources.train->examples() == spec.train_count);
    CHECK(sources.test->examples() == spec.test_count);
    CHECK(sources.train->classes() == spec.classes);
    CHECK(sources.train->image() == Shape{spec.side, spec.side, spec.channels});
    CHECK(sources.train->slow());
    const std::int64_t last = spec.train_count - 1;
    CHECK(sources.train->label(last) < spec.classes);
    const auto pixels = pixels_of(*sources.train, last);
    const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
    CHECK(*low < *high);
  }
}

TEST_CASE("drawn images: an image is a function of the seed with its number", "[images]") {
  const ImageSources few = draw_images({.side = 24, .train_count = 5, .seed = 3});
  const ImageSources many = draw_images({.side = 24, .train_count = 500, .seed = 3});
  const ImageSources other = draw_images({.side = 24, .train_count = 5, .seed = 4});
  for (std::int64_t i = 4; i >= 0; --i) {
    CHECK(few.train->label(i) == many.train->label(i));
    CHECK(pixels_of(*few.train, i) == pixels_of(*many.train, i));
    CHECK(pixels_of(*few.train, i) != pixels_of(*other.train, i));
    CHECK(pixels_of(*few.train, i) != pixels_of(*few.test, i));
  }
}

// A changed drawing changes every accuracy ever reported on images: an intended change has to
// update these sums and the changelog.
TEST_CASE("drawn images: the drawing is the one whose checksum is known", "[images]") {
  const ImageSources sources = draw_images({.side = 30, .seed = 1});
  CHECK(checksum(*sources.train, 100) == 0x298c22d389c44b6cu);
  CHECK(checksum(*draw_images({.side = 9, .channels = 1, .seed = 1}).test, 100) ==
        0x64bb87e2f58f7b1u);
}

TEST_CASE("drawn images: all classes are about equally frequent", "[images]") {
  const ImageSources sources = draw_images({.side = 8, .classes = 10, .train_count = 5'000});
  std::vector<int> counts(10);
  for (std::int64_t i = 0; i < 5'000; ++i) {
    ++counts[static_cast<std::size_t>(sources.train->label(i))];
  }
  // Expected are 500 with a standard deviation of 21; the bound is five of them.
  for (const int count : counts) CHECK(std::abs(count - 500) < 106);
}

// The nearest of 2,000 training images, each reduced to 4 x 4 colours, classifies a test image. It
// uses only colours, so it shows that classes are separable, but not trivially.
TEST_CASE("drawn images: the nearest neighbour names most of them but not all", "[images]") {
  const ImageSources sources = draw_images({.side = 24, .classes = 10});
  std::vector<std::array<double, 48>> known;
  known.reserve(2'000);
  for (std::int64_t i = 0; i < 2'000; ++i) known.push_back(thumbnail(*sources.train, i));
  int right = 0;
  for (std::int64_t i = 0; i < 300; ++i) {
    const auto seen = thumbnail(*sources.test, i);
    double best = std::numeric_limits<double>::max();
    std::int64_t nearest = 0;
    for (std::size_t k = 0; k < known.size(); ++k) {
      double distance = 0;
      for (std::size_t p = 0; p < seen.size(); ++p) {
        distance += (seen[p] - known[k][p]) * (seen[p] - known[k][p]);
      }
      if (distance < best) {
        best = distance;
        nearest = static_cast<std::int64_t>(k);
      }
    }
    right += sources.train->label(nearest) == sources.test->label(i) ? 1 : 0;
  }
  CAPTURE(right);
  CHECK(right > 150);
  CHECK(right < 290);
}

TEST_CASE("drawn images: what cannot be drawn is refused", "[images]") {
  CHECK_THAT(complaint([] { draw_images({.side = 7}); }),
             Contains("side 7 is out of range; write 8 to 512"));
  CHECK_THAT(complaint([] { draw_images({.side = 513}); }), Contains("side 513"));
  CHECK_THAT(complaint([] { draw_images({.channels = 2}); }), Contains("2 channels"));
  CHECK_THAT(complaint([] { draw_images({.classes = 1}); }),
             Contains("classes 1 is out of range; write 2 to"));
  CHECK_THAT(complaint([] { draw_images({.train_count = -1}); }), Contains("training count -1"));
}
