// Draws images from the mean of their class.
#include "models/data/drawn_images.h"

#include "models/base/random.h"
#include "models/data/data_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr int kClassesMax = 65'536;
constexpr std::int64_t kCountMax = 1'000'000'000;
constexpr int kGrid = 8;                 // points along a side
constexpr int kShareMin = 20;            // least share of its class in an image, percent
constexpr std::uint64_t kShares = 26;    // number of possible percentages
constexpr std::uint64_t kNoiseMax = 96;  // range from the darkest to the brightest, of 255

/// The colours of the points between which a picture is linear.
using Grid = std::array<std::uint8_t, std::size_t{kGrid} * kGrid * 3>;

Grid draw_grid(Stream& stream) {
  Grid grid{};
  for (std::size_t i = 0; i < grid.size(); i += 8) {
    const std::uint64_t bits = stream.bits();
    for (std::size_t byte = 0; byte < 8; ++byte) {
      grid[i + byte] = static_cast<std::uint8_t>(bits >> (8 * byte) & 0xff);
    }
  }
  return grid;
}

/// The place of a pixel between two points of the grid.
struct Between {
  int first = 0;
  int weight = 0;  // weight of the second point, of 256
};

std::vector<Between> places_of(int side) {
  std::vector<Between> places(static_cast<std::size_t>(side));
  for (int i = 0; i < side; ++i) {
    const int place = i * (kGrid - 1) * 256 / side;
    places[static_cast<std::size_t>(i)] = {place / 256, place % 256};
  }
  return places;
}

void paint(const Grid& grid, int side, int channels, std::uint8_t* pixels) {
  constexpr int kRow = kGrid * 3;
  const std::vector<Between> places = places_of(side);
  std::array<int, kRow> row{};  // the grid at the height of a row of pixels
  for (const Between& y : places) {
    const std::uint8_t* above = grid.data() + y.first * kRow;
    for (int i = 0; i < kRow; ++i) {
      row[static_cast<std::size_t>(i)] =
          (above[i] * (256 - y.weight) + above[i + kRow] * y.weight) / 256;
    }
    for (const Between& x : places) {
      const int* left = row.data() + x.first * 3;
      for (int channel = 0; channel < channels; ++channel) {
        const int mixed = left[channel] * (256 - x.weight) + left[channel + 3] * x.weight;
        *pixels++ = static_cast<std::uint8_t>(mixed / 256);
      }
    }
  }
}

/// Adds to each byte a uniform draw of `range` values about 0, eight bytes from one draw.
void add_noise(std::vector<std::uint8_t>& pixels, int range, Stream& stream) {
  constexpr std::size_t kBlock = 512;  // a multiple of 8; a loop over one block is vectorised
  std::array<std::uint8_t, kBlock> noise{};
  for (std::size_t start = 0; start < pixels.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, pixels.size() - start);
    for (std::size_t i = 0; i < count; i += 8) {
      const std::uint64_t bits = stream.bits();
      for (std::size_t byte = 0; byte < 8; ++byte) {
        noise[i + byte] = static_cast<std::uint8_t>(bits >> (8 * byte) & 0xff);
      }
    }
    std::uint8_t* block = pixels.data() + start;
    for (std::size_t i = 0; i < count; ++i) {
      const int noisy = block[i] + ((noise[i] - 128) * range >> 8);
      block[i] = static_cast<std::uint8_t>(std::clamp(noisy, 0, 255));
    }
  }
}

class DrawnImages : public ImageSource {
 public:
  DrawnImages(const ImagesSpec& spec, std::int64_t count, std::string name)
      : spec_(spec), count_(count), name_(std::move(name)) {}

  [[nodiscard]] std::int64_t examples() const override { return count_; }
  [[nodiscard]] Shape image() const override { return {spec_.side, spec_.side, spec_.channels}; }
  [[nodiscard]] int classes() const override { return spec_.classes; }
  [[nodiscard]] int label(std::int64_t index) const override {
    Stream stream = stream_of(index);
    return draw_label(stream);
  }
  [[nodiscard]] bool slow() const override { return true; }

  const std::uint8_t* pixels(std::int64_t index,
                             std::vector<std::uint8_t>& scratch) const override {
    Stream stream = stream_of(index);
    Stream of_class(spec_.seed, fmt::format("data.images.class.{}", draw_label(stream)));
    const Grid mean = draw_grid(of_class);
    Grid grid = draw_grid(stream);  // the image's own
    const int share = kShareMin + static_cast<int>(stream.below(kShares));
    for (std::size_t i = 0; i < grid.size(); ++i) {
      grid[i] = static_cast<std::uint8_t>((mean[i] * share + grid[i] * (100 - share)) / 100);
    }
    scratch.resize(static_cast<std::size_t>(image().size()));
    paint(grid, spec_.side, spec_.channels, scratch.data());
    add_noise(scratch, static_cast<int>(stream.below(kNoiseMax + 1)), stream);
    return scratch.data();
  }

 private:
  [[nodiscard]] Stream stream_of(std::int64_t index) const {
    return {spec_.seed, fmt::format("data.images.{}.{}", name_, index)};
  }
  [[nodiscard]] int draw_label(Stream& stream) const {
    return static_cast<int>(stream.below(static_cast<std::uint64_t>(spec_.classes)));
  }

  ImagesSpec spec_;
  std::int64_t count_;
  std::string name_;
};

void check_range(const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw DataError(
      fmt::format("images: {} {} is out of range; write {} to {}", what, value, low, high));
}

}  // namespace

ImageSources draw_images(const ImagesSpec& spec) {
  constexpr int kSideMin = 8;
  constexpr int kSideMax = 512;
  check_range("side", spec.side, kSideMin, kSideMax);
  check_range("classes", spec.classes, 2, kClassesMax);
  check_range("training count", spec.train_count, 0, kCountMax);
  check_range("test count", spec.test_count, 0, kCountMax);
  if (spec.channels != 1 && spec.channels != 3) {
    throw DataError(fmt::format("images: {} channels; write 1 or 3", spec.channels));
  }
  return {std::make_shared<const DrawnImages>(spec, spec.train_count, "train"),
          std::make_shared<const DrawnImages>(spec, spec.test_count, "test")};
}

}  // namespace foretrain
