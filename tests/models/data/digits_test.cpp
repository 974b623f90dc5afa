// Drawn digits: reproducible from a seed, yet varied.
#include "models/data/digits.h"

#include "models/data/digit_strokes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

using namespace foretrain;

namespace {

/// FNV-1a over the labels, then the pixels.
std::uint64_t checksum(const Images& dataset) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto label : dataset.labels) hash = (hash ^ label) * 0x100000001b3u;
  for (const auto pixel : dataset.pixels) hash = (hash ^ pixel) * 0x100000001b3u;
  return hash;
}

std::span<const std::uint8_t> image(const Images& dataset, std::int64_t index) {
  const auto features = static_cast<std::size_t>(dataset.features());
  return std::span(dataset.pixels).subspan(static_cast<std::size_t>(index) * features, features);
}

}  // namespace

TEST_CASE("digits: images of 28 x 28 in ten classes, as many as asked", "[digits]") {
  const ImageSplit split = draw_digits(30, 20, 1);
  CHECK(split.train.examples == 30);
  CHECK(split.test.examples == 20);
  for (const Images* dataset : {&split.train, &split.test}) {
    CHECK(dataset->rows == 28);
    CHECK(dataset->columns == 28);
    CHECK(dataset->classes == 10);
    CHECK(dataset->labels.size() == static_cast<std::size_t>(dataset->examples));
    CHECK(dataset->pixels.size() == static_cast<std::size_t>(dataset->examples) * 784);
  }
}

TEST_CASE("digits: one seed draws the same bytes, another seed draws others", "[digits]") {
  const ImageSplit first = draw_digits(50, 50, 1);
  const ImageSplit again = draw_digits(50, 50, 1);
  const ImageSplit other = draw_digits(50, 50, 2);
  CHECK(first.train.pixels == again.train.pixels);
  CHECK(first.train.labels == again.train.labels);
  CHECK(first.test.pixels == again.test.pixels);
  CHECK(first.train.pixels != other.train.pixels);
  CHECK(first.train.labels != other.train.labels);
  CHECK(first.test.pixels != other.test.pixels);
}

TEST_CASE("digits: no test image is a training image", "[digits]") {
  const ImageSplit split = draw_digits(100, 100, 1);
  for (std::int64_t i = 0; i < 100; ++i) {
    CHECK_FALSE(std::ranges::equal(image(split.train, i), image(split.test, i)));
  }
}

TEST_CASE("digits: a smaller draw is the beginning of a larger one", "[digits]") {
  const ImageSplit few = draw_digits(40, 10, 3);
  const ImageSplit many = draw_digits(200, 150, 3);
  const Images train = take(many.train, 40);
  const Images test = take(many.test, 10);
  CHECK(few.train.labels == train.labels);
  CHECK(few.train.pixels == train.pixels);
  CHECK(few.test.labels == test.labels);
  CHECK(few.test.pixels == test.pixels);
}

// A changed drawing changes every accuracy ever reported on digits: an intended change has to
// update these sums and the changelog.
TEST_CASE("digits: the drawing is the one whose checksum is known", "[digits]") {
  const ImageSplit split = draw_digits(500, 100, 1);
  CHECK(checksum(split.train) == 0xbccd2a5ab17c02a1u);
  CHECK(checksum(split.test) == 0x9c91e51244a806a4u);
}

TEST_CASE("digits: all ten classes are about equally frequent", "[digits]") {
  const ImageSplit split = draw_digits(5'000, 0, 1);
  std::vector<int> counts(10);
  for (const auto label : split.train.labels) {
    REQUIRE(label < 10);
    ++counts[label];
  }
  // Expected are 500 with a standard deviation of 21; the bound is five of them.
  for (const int count : counts) CHECK(std::abs(count - 500) < 106);
}

TEST_CASE("digits: every image has ink, yet is mostly paper", "[digits]") {
  const ImageSplit split = draw_digits(1'000, 0, 5);
  for (std::int64_t i = 0; i < split.train.examples; ++i) {
    const auto pixels = image(split.train, i);
    const auto inked = std::ranges::count_if(pixels, [](int pixel) { return pixel > 100; });
    CAPTURE(i, static_cast<int>(split.train.labels[static_cast<std::size_t>(i)]));
    CHECK(inked >= 8);
    CHECK(inked <= 300);
  }
}

TEST_CASE("digits: images of one class differ", "[digits]") {
  const ImageSplit split = draw_digits(200, 0, 1);
  for (std::int64_t i = 1; i < split.train.examples; ++i) {
    CHECK_FALSE(std::ranges::equal(image(split.train, 0), image(split.train, i)));
  }
}

// Each class has its mean training image as a template; the nearest one (Euclidean) classifies a
// test image. There is no learning rate, so the test measures only the data: chance is 0.1.
TEST_CASE("digits: templates recognise most of them, but far from all", "[digits]") {
  const ImageSplit split = draw_digits(4'000, 1'000, 1);
  std::vector<std::vector<double>> mean(10, std::vector<double>(784));
  std::vector<double> count(10);
  for (std::int64_t i = 0; i < split.train.examples; ++i) {
    const std::size_t label = split.train.labels[static_cast<std::size_t>(i)];
    const auto pixels = image(split.train, i);
    ++count[label];
    for (std::size_t p = 0; p < 784; ++p) mean[label][p] += pixels[p];
  }
  int right = 0;
  for (std::int64_t i = 0; i < split.test.examples; ++i) {
    const auto pixels = image(split.test, i);
    std::vector<double> distance(10);
    for (std::size_t label = 0; label < 10; ++label) {
      for (std::size_t p = 0; p < 784; ++p) {
        const double off = mean[label][p] / count[label] - pixels[p];
        distance[label] += off * off;
      }
    }
    const auto nearest = std::ranges::min_element(distance) - distance.begin();
    right += nearest == split.test.labels[static_cast<std::size_t>(i)];
  }
  CHECK(right > 650);
  CHECK(right < 900);
}

TEST_CASE("digits: a curve passes through its points", "[digits]") {
  const Stroke open{{{0, 0}, {1, 0.5}, {0.2, 1}}, false};
  const auto line = flatten(open, 4);
  REQUIRE(line.size() == 9);
  for (const std::size_t i : {0u, 1u, 2u}) {
    CHECK(line[4 * i].x == Approx(open.points[i].x));
    CHECK(line[4 * i].y == Approx(open.points[i].y));
  }
}

TEST_CASE("digits: a closed curve ends where it starts", "[digits]") {
  const auto line = flatten({{{0, 0}, {1, 0}, {1, 1}}, true}, 4);
  REQUIRE(line.size() == 13);
  CHECK(line.back().x == Approx(0).margin(1e-12));
  CHECK(line.back().y == Approx(0).margin(1e-12));
}

TEST_CASE("digits: every digit has a prototype inside the unit box", "[digits]") {
  for (int digit = 0; digit < 10; ++digit) {
    REQUIRE_FALSE(prototypes_of(digit).empty());
    for (const auto& prototype : prototypes_of(digit)) {
      for (const auto& stroke : prototype) {
        REQUIRE(stroke.points.size() >= 2);
        for (const Point point : stroke.points) {
          CHECK(std::clamp(point.x, 0.0, 1.0) == point.x);
          CHECK(std::clamp(point.y, 0.0, 1.0) == point.y);
        }
      }
    }
  }
}
