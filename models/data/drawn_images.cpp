// Draws images row by row from two textures.
#include "models/data/drawn_images.h"

#include "models/base/check.h"
#include "models/base/random.h"
#include "models/data/data_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr int kShapes = 6;
constexpr int kTextures = 8;
constexpr int kTile = 64;      // side of a texture, which repeats; a power of two
constexpr int kFraction = 16;  // bits after the point of a position in a texture
constexpr int kClassesMax = 65'536;
constexpr std::int64_t kCountMax = 1'000'000'000;

// How much the images of a class differ. Lengths as a share of the image's side.
constexpr double kShift = 0.18;  // of the shape's middle, each way
constexpr double kRadiusMin = 0.22;
constexpr double kRadiusMax = 0.38;
constexpr double kRepeatsMin = 1.5;  // of a texture along the side
constexpr double kRepeatsMax = 3.0;
constexpr double kGainMin = 0.55;
constexpr double kGainMax = 1.25;
constexpr double kOffset = 24;           // of all pixels, each way, of 255
constexpr int kOwnColour = 40;           // percent of a colour that is not the class's
constexpr std::uint64_t kNoiseMax = 96;  // from the darkest to the brightest, of 255
constexpr std::int64_t kContrast = 40;   // a channel, shape against ground, of 255

using Colour = std::array<std::uint8_t, 3>;
using Tile = std::array<std::uint8_t, kTile * kTile>;
/// The bytes of a pixel for each level of a texture; the fourth is not used.
using Palette = std::array<std::array<std::uint8_t, 4>, 256>;

/// What shape, ground are filled with: a texture between two colours.
struct Fill {
  int texture = 0;
  Colour dark{};
  Colour bright{};
};

/// What all images of a class have in common.
struct Prototype {
  int shape = 0;
  Fill figure;
  Fill ground;
};

/// What train and test images share.
struct Drawing {
  ImagesSpec spec;
  std::array<Tile, kTextures> textures;
  std::vector<Prototype> prototypes;
};

/// Up, then down again: 0 to 248 over a tile.
std::uint8_t wave(int position) {
  const int at = position & (kTile - 1);
  return static_cast<std::uint8_t>(8 * std::min(at, kTile - 1 - at));
}

/// Blobs: random bytes on a grid, linear between them.
Tile draw_blobs(std::uint64_t seed) {
  constexpr int kGrid = 8;
  constexpr int kCell = kTile / kGrid;
  Stream stream(seed, "data.images.texture");
  std::array<int, kGrid * kGrid> grid{};
  for (int& value : grid) value = static_cast<int>(stream.below(256));
  Tile tile{};
  for (int y = 0; y < kTile; ++y) {
    for (int x = 0; x < kTile; ++x) {
      const auto at = [&](int right, int down) {
        const int column = (x / kCell + right) % kGrid;
        const int row = (y / kCell + down) % kGrid;
        return grid[static_cast<std::size_t>(row * kGrid + column)];
      };
      const int right = x % kCell;
      const int down = y % kCell;
      const int upper = at(0, 0) * (kCell - right) + at(1, 0) * right;
      const int lower = at(0, 1) * (kCell - right) + at(1, 1) * right;
      const int mixed = (upper * (kCell - down) + lower * down) / (kCell * kCell);
      tile[static_cast<std::size_t>(y * kTile + x)] = static_cast<std::uint8_t>(mixed);
    }
  }
  return tile;
}

std::uint8_t texture_at(int texture, int x, int y) {
  const int right = x - kTile / 2;
  const int down = y - kTile / 2;
  switch (texture) {
    case 0:
      return wave(2 * y);
    case 1:
      return wave(2 * x);
    case 2:
      return wave(2 * (x + y));
    case 3:
      return wave(2 * (x + kTile - y));
    case 4:
      return ((x / 16 + y / 16) & 1) != 0 ? 248 : 8;  // a checkerboard
    case 5:                                           // dots
      return (right * right + down * down) % 1024 < 320 ? 248 : 8;
    default:  // rings
      return wave(3 * static_cast<int>(std::sqrt(right * right + down * down)));
  }
}

std::array<Tile, kTextures> draw_textures(std::uint64_t seed) {
  std::array<Tile, kTextures> textures{};
  for (int texture = 0; texture < kTextures - 1; ++texture) {
    for (int i = 0; i < kTile * kTile; ++i) {
      textures[static_cast<std::size_t>(texture)][static_cast<std::size_t>(i)] =
          texture_at(texture, i % kTile, i / kTile);
    }
  }
  textures[kTextures - 1] = draw_blobs(seed);
  return textures;
}

Colour draw_colour(Stream& stream, int channels) {
  const std::uint64_t bits = stream.bits();
  Colour colour{};
  for (std::size_t i = 0; i < colour.size(); ++i) {
    colour[i] = static_cast<std::uint8_t>(bits >> (channels == 1 ? 0 : 8 * i) & 0xff);
  }
  return colour;
}

std::int64_t contrast(const Fill& a, const Fill& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.dark.size(); ++i) {
    sum += std::abs(a.dark[i] + a.bright[i] - b.dark[i] - b.bright[i]) / 2;
  }
  return sum;
}

/// The first 384 classes differ in shape or textures, all of them in colours.
Prototype draw_prototype(int c, int channels, std::uint64_t seed) {
  Stream stream(seed, fmt::format("data.images.class.{}", c));
  Prototype prototype;
  prototype.shape = c % kShapes;
  prototype.figure.texture = (c + c / kShapes) % kTextures;
  prototype.ground.texture = (c + c / (kShapes * kTextures) + 5) % kTextures;
  prototype.figure.dark = draw_colour(stream, channels);
  prototype.figure.bright = draw_colour(stream, channels);
  do {
    prototype.ground.dark = draw_colour(stream, channels);
    prototype.ground.bright = draw_colour(stream, channels);
  } while (contrast(prototype.figure, prototype.ground) < 3 * kContrast);
  return prototype;
}

double uniform_between(Stream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}

/// Half the width of a shape at a height, both in units of its radius, -1 (top) to 1.
double half_width(int shape, double height) {
  switch (shape) {
    case 0:
      return std::sqrt(std::max(0.0, 1 - height * height));  // disc
    case 1:
      return std::abs(height) <= 0.85 ? 0.85 : 0;  // square
    case 2:
      return 1 - std::abs(height);  // diamond
    case 3:
      return (1 + height) / 2;  // triangle
    case 4:
      return std::abs(height);  // hourglass
    default:
      return std::abs(height) <= 0.3 ? 1 : 0.3;  // cross
  }
}

/// The colour of a class as one image has it: most of it is the image's own.
Colour tint(const Colour& colour, int channels, Stream& stream) {
  const Colour own = draw_colour(stream, channels);
  Colour mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    mixed[i] =
        static_cast<std::uint8_t>((colour[i] * (100 - kOwnColour) + own[i] * kOwnColour) / 100);
  }
  return mixed;
}

/// A fill as one image has it.
struct Layer {
  const Tile* tile = nullptr;
  Palette palette{};
  std::uint32_t step = 0;  // from a pixel to the next, in the tile
  std::uint32_t u = 0;     // where the image's first column is in the tile
  std::uint32_t v = 0;     // its first row

  /// The pixels `from` to `to` of a row.
  void paint(int row, int from, int to, int channels, std::uint8_t* pixels) const {
    const auto line = (v + static_cast<std::uint32_t>(row) * step) >> kFraction & (kTile - 1);
    const std::uint8_t* texture = tile->data() + line * kTile;
    std::uint32_t at = u + static_cast<std::uint32_t>(from) * step;
    if (channels == 1) {
      for (int x = from; x < to; ++x, at += step) {
        pixels[x] = palette[texture[at >> kFraction & (kTile - 1)]][0];
      }
      return;
    }
    for (int x = from; x < to; ++x, at += step) {
      const auto& colour = palette[texture[at >> kFraction & (kTile - 1)]];
      pixels[3 * x] = colour[0];
      pixels[3 * x + 1] = colour[1];
      pixels[3 * x + 2] = colour[2];
    }
  }
};

Layer make_layer(const Fill& fill, const Drawing& drawing, double gain, double offset,
                 Stream& stream) {
  constexpr std::uint64_t kWhole = std::uint64_t{kTile} << kFraction;
  Layer layer;
  layer.tile = &drawing.textures[static_cast<std::size_t>(fill.texture)];
  layer.step = static_cast<std::uint32_t>(uniform_between(stream, kRepeatsMin, kRepeatsMax) *
                                          static_cast<double>(kWhole) / drawing.spec.side);
  layer.u = static_cast<std::uint32_t>(stream.below(kWhole));
  layer.v = static_cast<std::uint32_t>(stream.below(kWhole));
  const Colour dark = tint(fill.dark, drawing.spec.channels, stream);
  const Colour bright = tint(fill.bright, drawing.spec.channels, stream);
  for (int level = 0; level < 256; ++level) {
    for (std::size_t i = 0; i < dark.size(); ++i) {
      const int mixed = (dark[i] * (255 - level) + bright[i] * level) / 255;
      layer.palette[static_cast<std::size_t>(level)][i] =
          static_cast<std::uint8_t>(std::clamp(gain * mixed + offset, 0.0, 255.0));
    }
  }
  return layer;
}

/// Adds to each byte a uniform draw of `range` values about 0, eight bytes a draw.
void add_noise(std::vector<std::uint8_t>& pixels, int range, Stream& stream) {
  constexpr std::size_t kBlock = 512;  // a multiple of 8; a loop over one is vector instructions
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
  DrawnImages(std::shared_ptr<const Drawing> drawing, std::int64_t count, std::string name)
      : drawing_(std::move(drawing)), count_(count), name_(std::move(name)) {}

  [[nodiscard]] std::int64_t examples() const override { return count_; }
  [[nodiscard]] Shape image() const override {
    return {drawing_->spec.side, drawing_->spec.side, drawing_->spec.channels};
  }
  [[nodiscard]] int classes() const override { return drawing_->spec.classes; }
  [[nodiscard]] int label(std::int64_t index) const override {
    Stream stream = stream_of(index);
    return draw_label(stream);
  }
  [[nodiscard]] bool slow() const override { return true; }

  const std::uint8_t* pixels(std::int64_t index,
                             std::vector<std::uint8_t>& scratch) const override {
    Stream stream = stream_of(index);
    const int side = drawing_->spec.side;
    const int channels = drawing_->spec.channels;
    const Prototype& of_class = drawing_->prototypes[static_cast<std::size_t>(draw_label(stream))];
    const double radius = side * uniform_between(stream, kRadiusMin, kRadiusMax);
    const double middle_x = side * uniform_between(stream, 0.5 - kShift, 0.5 + kShift);
    const double middle_y = side * uniform_between(stream, 0.5 - kShift, 0.5 + kShift);
    const double gain = uniform_between(stream, kGainMin, kGainMax);
    const double offset = uniform_between(stream, -kOffset, kOffset);
    const auto noise = static_cast<int>(stream.below(kNoiseMax + 1));
    const Layer figure = make_layer(of_class.figure, *drawing_, gain, offset, stream);
    const Layer ground = make_layer(of_class.ground, *drawing_, gain, offset, stream);
    scratch.resize(static_cast<std::size_t>(image().size()));
    std::uint8_t* row = scratch.data();
    for (int y = 0; y < side; ++y, row += side * channels) {
      const double height = (y + 0.5 - middle_y) / radius;
      const double half = std::abs(height) <= 1 ? half_width(of_class.shape, height) * radius : 0;
      const int left = std::clamp(static_cast<int>(middle_x - half + 0.5), 0, side);
      const int right = std::clamp(static_cast<int>(middle_x + half + 0.5), left, side);
      ground.paint(y, 0, left, channels, row);
      figure.paint(y, left, right, channels, row);
      ground.paint(y, right, side, channels, row);
    }
    add_noise(scratch, noise, stream);
    return scratch.data();
  }

 private:
  [[nodiscard]] Stream stream_of(std::int64_t index) const {
    return {drawing_->spec.seed, fmt::format("data.images.{}.{}", name_, index)};
  }
  [[nodiscard]] int draw_label(Stream& stream) const {
    return static_cast<int>(stream.below(static_cast<std::uint64_t>(drawing_->spec.classes)));
  }

  std::shared_ptr<const Drawing> drawing_;
  std::int64_t count_;
  std::string name_;
};

void check_range(const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw DataError(
      fmt::format("images: {} {}, where {} to {} can be drawn", what, value, low, high));
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
    throw DataError(fmt::format("images: {} channels, where 1 or 3 can be drawn", spec.channels));
  }
  auto drawing = std::make_shared<Drawing>();
  drawing->spec = spec;
  drawing->textures = draw_textures(spec.seed);
  drawing->prototypes.reserve(static_cast<std::size_t>(spec.classes));
  for (int c = 0; c < spec.classes; ++c) {
    drawing->prototypes.push_back(draw_prototype(c, spec.channels, spec.seed));
  }
  return {std::make_shared<const DrawnImages>(drawing, spec.train_count, "train"),
          std::make_shared<const DrawnImages>(drawing, spec.test_count, "test")};
}

}  // namespace foretrain
