// Draws digits with a random pen on a small canvas.
#include "models/data/digits.h"

#include "models/base/check.h"
#include "models/base/random.h"
#include "models/data/digit_strokes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

constexpr int kSide = 28;  // pixels
constexpr int kDigits = 10;
constexpr int kPieces = 4;  // straight pieces between two points of a curve

// The ranges of variation. Lengths are in pixels unless stated otherwise.
constexpr double kWidth = 13;
constexpr double kHeight = 19;
constexpr double kScaleMin = 0.75;
constexpr double kScaleMax = 1.12;
constexpr double kAspect = 0.18;      // width against height, this share each way
constexpr double kTurn = 0.12;        // tangent of half the largest angle: 13.7 degrees
constexpr double kShear = 0.28;       // to the right, per pixel upwards
constexpr double kShiftPixels = 2.0;  // each way
constexpr double kJitter = 0.05;      // of a point, each way, as a share of the box
constexpr double kPenMin = 0.5;       // half the thickness of a stroke
constexpr double kPenMax = 1.5;
constexpr double kInkMin = 0.65;  // ink of the darkest pixel
constexpr double kStray = 0.4;    // chance of a stray line
constexpr int kSpecksMax = 4;
constexpr double kPixelNoiseMax = 0.16;  // largest change of a pixel in the noisiest images

/// The ink of each pixel, 0 to 1.
using Canvas = std::array<double, kSide * kSide>;

double between(Stream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}

/// Maps the unit box of the prototypes to pixels: a linear map about the middle, then a shift.
struct Placement {
  double xx, xy, yx, yy, x, y;

  [[nodiscard]] Point of(Point p) const {
    const double right = p.x - 0.5;
    const double down = p.y - 0.5;
    return {xx * right + xy * down + x, yx * right + yy * down + y};
  }
};

Placement draw_placement(Stream& stream) {
  const double scale = between(stream, kScaleMin, kScaleMax);
  const double width = kWidth * scale * between(stream, 1 - kAspect, 1 + kAspect);
  const double height = kHeight * scale;
  const double shear = between(stream, -kShear, kShear);
  // The cosine and sine of the angle whose half has tangent t, without the C library's.
  const double t = between(stream, -kTurn, kTurn);
  const double cosine = (1 - t * t) / (1 + t * t);
  const double sine = 2 * t / (1 + t * t);
  const double middle = kSide / 2.0;
  return {.xx = cosine * width,
          .xy = -(cosine * shear + sine) * height,
          .yx = sine * width,
          .yy = (cosine - sine * shear) * height,
          .x = middle + between(stream, -kShiftPixels, kShiftPixels),
          .y = middle + between(stream, -kShiftPixels, kShiftPixels)};
}

/// Inks the pixels near the line from `from` to `to`: fully if their centre is closer than `pen`,
/// fading over one more pixel.
void draw_line(Canvas& canvas, Point from, Point to, double pen) {
  const double reach = pen + 0.5;
  const auto first = [reach](double a, double b) {
    return std::clamp(static_cast<int>(std::floor(std::min(a, b) - reach)), 0, kSide);
  };
  const auto last = [reach](double a, double b) {
    return std::clamp(static_cast<int>(std::ceil(std::max(a, b) + reach)), 0, kSide);
  };
  const double along_x = to.x - from.x;
  const double along_y = to.y - from.y;
  const double length2 = along_x * along_x + along_y * along_y;
  const double inverse = length2 > 0 ? 1 / length2 : 0;
  const int right = last(from.x, to.x);
  const int bottom = last(from.y, to.y);
  for (int row = first(from.y, to.y); row < bottom; ++row) {
    for (int column = first(from.x, to.x); column < right; ++column) {
      const double x = column + 0.5 - from.x;
      const double y = row + 0.5 - from.y;
      const double share = std::clamp((x * along_x + y * along_y) * inverse, 0.0, 1.0);
      const double off_x = x - share * along_x;
      const double off_y = y - share * along_y;
      const double distance2 = off_x * off_x + off_y * off_y;
      if (distance2 >= reach * reach) continue;
      double& ink = canvas[static_cast<std::size_t>(row * kSide + column)];
      ink = std::max(ink, std::min(1.0, reach - std::sqrt(distance2)));
    }
  }
}

void draw_digit(Canvas& canvas, int digit, Stream& stream) {
  const auto& prototypes = prototypes_of(digit);
  const Prototype& prototype = prototypes[stream.below(prototypes.size())];
  const Placement placement = draw_placement(stream);
  const double pen = between(stream, kPenMin, kPenMax);
  for (Stroke stroke : prototype) {
    for (Point& point : stroke.points) {
      point.x += between(stream, -kJitter, kJitter);
      point.y += between(stream, -kJitter, kJitter);
    }
    const std::vector<Point> line = flatten(stroke, kPieces);
    for (std::size_t i = 1; i < line.size(); ++i) {
      draw_line(canvas, placement.of(line[i - 1]), placement.of(line[i]), pen);
    }
  }
}

/// Draws stray marks: sometimes a short line, and a few specks.
void draw_dirt(Canvas& canvas, Stream& stream) {
  if (stream.uniform() < kStray) {
    const Point from{between(stream, 2, kSide - 2), between(stream, 2, kSide - 2)};
    const Point to{from.x + between(stream, -6, 6), from.y + between(stream, -6, 6)};
    draw_line(canvas, from, to, between(stream, 0.2, 0.6));
  }
  for (auto specks = stream.below(kSpecksMax + 1); specks > 0; --specks) {
    const Point at{between(stream, 0, kSide), between(stream, 0, kSide)};
    draw_line(canvas, at, at, between(stream, 0.2, 0.7));
  }
}

/// Writes the canvas as bytes, with noise: one draw of a triangular distribution for each pixel.
void develop(const Canvas& canvas, Stream& stream, std::span<std::uint8_t> pixels) {
  const double darkest = between(stream, kInkMin, 1);
  const double noise = between(stream, 0, kPixelNoiseMax);
  std::uint64_t dice = 0;  // random bytes for four pixels, two each
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    dice = i % 4 == 0 ? stream.bits() : dice >> 16;
    const int throw_of_two = static_cast<int>(dice & 0xff) + static_cast<int>(dice >> 8 & 0xff);
    const double ink = darkest * canvas[i] + noise * (throw_of_two - 255) / 255.0;
    pixels[i] = static_cast<std::uint8_t>(std::clamp(ink, 0.0, 1.0) * 255 + 0.5);
  }
}

Images draw(std::int64_t count, std::uint64_t seed, std::string_view name) {
  FT_CHECK_OP(count, >=, 0);
  Images images;
  images.examples = count;
  images.rows = kSide;
  images.columns = kSide;
  images.classes = kDigits;
  images.labels.resize(static_cast<std::size_t>(count));
  images.pixels.resize(static_cast<std::size_t>(count) * kSide * kSide);
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    Stream stream(seed, fmt::format("data.digits.{}.{}", name, i));
    const int digit = static_cast<int>(stream.below(kDigits));
    Canvas canvas{};
    draw_digit(canvas, digit, stream);
    draw_dirt(canvas, stream);
    images.labels[i] = static_cast<std::uint16_t>(digit);
    develop(canvas, stream, std::span(images.pixels).subspan(i * kSide * kSide, kSide * kSide));
  }
  return images;
}

}  // namespace

ImageSplit draw_digits(std::int64_t train_count, std::int64_t test_count, std::uint64_t seed) {
  return {draw(train_count, seed, "train"), draw(test_count, seed, "test")};
}

}  // namespace foretrain
