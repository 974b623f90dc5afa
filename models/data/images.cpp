// Converts the bytes of images to the numbers that a network reads.
#include "models/data/images.h"

#include "models/base/check.h"
#include "models/base/prefetch.h"
#include "models/data/data_error.h"
#include "models/data/image_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

/// x / 255 for x = 0 .. 255, rounded like the division (a test compares all 256): `kHigh` has 16
/// bits, so its product is exact, and only one rounding remains. A third of the division's time.
constexpr float kHigh = 0x1.0101p-8F;
constexpr float kLow = static_cast<float>(1.0 / 255.0 - 0x1.0101p-8);

void scale(const std::uint8_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(from[i]);
    to[i] = x * kHigh + x * kLow;
  }
}

/// The part cut out of one image; negative: where the padding is.
struct CropWindow {
  std::int64_t row = 0;
  std::int64_t column = 0;
  bool mirrored = false;
};

/// Standardises numbers 0 .. 255 in place: their sums are of whole numbers, so exact.
void standardise(float* values, std::int64_t count) {
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<std::int32_t>(values[i]);
    sum += x;
    squares += x * x;
  }
  const auto n = static_cast<double>(count);
  const double mean = static_cast<double>(sum) / n;
  const double variance = std::max(0.0, static_cast<double>(squares) / n - mean * mean);
  const double deviation = std::max(std::sqrt(variance), 1 / std::sqrt(n));
  const auto shift = static_cast<float>(mean);
  const auto factor = static_cast<float>(1 / deviation);
  for (std::int64_t i = 0; i < count; ++i) values[i] = (values[i] - shift) * factor;
}

/// Bytes of images that are prefetched ahead of the one being read: the amount that memory delivers
/// in about its latency.
constexpr std::size_t kBytesAhead = 2048;

/// Images in memory.
class HeldImages : public ImageSource {
 public:
  explicit HeldImages(Images images) : images_(std::move(images)) {
    FT_CHECK_OP(images_.labels.size(), ==, static_cast<std::size_t>(images_.examples));
    FT_CHECK_OP(images_.pixels.size(), ==,
                images_.labels.size() * static_cast<std::size_t>(images_.features()));
  }

  [[nodiscard]] std::int64_t examples() const override { return images_.examples; }
  [[nodiscard]] Shape image() const override {
    return {images_.rows, images_.columns, images_.channels};
  }
  [[nodiscard]] int classes() const override { return images_.classes; }
  [[nodiscard]] int label(std::int64_t index) const override {
    return images_.labels[static_cast<std::size_t>(index)];
  }
  const std::uint8_t* pixels(std::int64_t index,
                             std::vector<std::uint8_t>& /*scratch*/) const override {
    return images_.pixels.data() + index * images_.features();
  }
  void coming(std::int64_t index) const override {
    prefetch_lines(images_.labels.data() + index, sizeof(std::uint16_t));
    prefetch_lines(images_.pixels.data() + index * images_.features(),
                   static_cast<std::size_t>(images_.features()));
  }

 private:
  Images images_;
};

/// The images of a source as numbers.
class ImageDataset : public Dataset {
 public:
  ImageDataset(std::shared_ptr<const ImageSource> source, const ImageOptions& options)
      : source_(std::move(source)),
        options_(options),
        whole_(source_->image()),
        part_(cropped(whole_, options)),
        only_scaled_(only_scaled(whole_, options)) {}

  [[nodiscard]] std::int64_t examples() const override { return source_->examples(); }
  [[nodiscard]] InputShape shape() const override {
    return {.image = part_, .sparse_features = 0, .classes = source_->classes()};
  }

  void gather(std::span<const std::int64_t> which, Stream* augment, Batch& batch) const override {
    const auto size = static_cast<std::size_t>(part_.size());
    std::vector<std::uint8_t> scratch;  // stays empty for a source in memory
    const std::size_t ahead = 1 + kBytesAhead / size;
    batch.examples = static_cast<std::int64_t>(which.size());
    batch.labels.resize(which.size());
    float* to = batch.inputs.reserve(which.size() * size).data();
    for (std::size_t i = 0; i < which.size(); ++i, to += size) {
      FT_CHECK_OP(which[i], >=, 0);
      FT_CHECK_OP(which[i], <, source_->examples());
      if (i + ahead < which.size()) source_->coming(which[i + ahead]);
      batch.labels[i] = source_->label(which[i]);
      const std::uint8_t* from = source_->pixels(which[i], scratch);
      if (only_scaled_) {
        scale(from, part_.size(), to);
      } else {
        convert(from, draw_window(augment), to);
      }
    }
  }

  [[nodiscard]] bool worth_prefetching() const override { return !only_scaled_ || source_->slow(); }

 private:
  /// Draws row, column and flip in this order, only as far as the options require.
  [[nodiscard]] CropWindow draw_window(Stream* augment) const {
    const std::int64_t pad = options_.pad;
    const std::int64_t rows = whole_.rows + 2 * pad - part_.rows;
    const std::int64_t columns = whole_.columns + 2 * pad - part_.columns;
    CropWindow window{rows / 2 - pad, columns / 2 - pad, false};
    if (augment == nullptr) return window;
    const auto draw = [&](std::int64_t most) {
      return static_cast<std::int64_t>(augment->below(static_cast<std::uint64_t>(most) + 1)) - pad;
    };
    if (options_.crop != 0) {
      window.row = draw(rows);
      window.column = draw(columns);
    }
    if (options_.flip) window.mirrored = augment->below(2) == 1;
    return window;
  }

  void convert(const std::uint8_t* from, CropWindow window, float* to) const {
    const std::int64_t channels = part_.channels;
    const std::int64_t width = part_.columns * channels;
    // The columns of the part that are in the image.
    const std::int64_t first = std::max<std::int64_t>(0, -window.column);
    const std::int64_t last = std::min<std::int64_t>(part_.columns, whole_.columns - window.column);
    if (options_.pad > 0) std::fill_n(to, part_.size(), 0.0F);
    float* row_to = to;
    for (std::int64_t row = 0; row < part_.rows; ++row, row_to += width) {
      const std::int64_t y = window.row + row;
      if (y < 0 || y >= whole_.rows) continue;
      const std::uint8_t* row_from = from + (y * whole_.columns + window.column + first) * channels;
      const std::int64_t count = (last - first) * channels;
      if (options_.standardise) {
        std::copy_n(row_from, count, row_to + first * channels);
      } else {
        scale(row_from, count, row_to + first * channels);
      }
      if (window.mirrored) mirror(row_to);
    }
    if (options_.standardise) standardise(to, part_.size());
  }

  /// Reverses the pixels of a row, not the channels of a pixel.
  void mirror(float* row) const {
    const std::int64_t channels = part_.channels;
    for (std::int64_t left = 0, right = part_.columns - 1; left < right; ++left, --right) {
      std::swap_ranges(row + left * channels, row + (left + 1) * channels, row + right * channels);
    }
  }

  std::shared_ptr<const ImageSource> source_;
  ImageOptions options_;
  Shape whole_;  ///< of an original image
  Shape part_;   ///< of an image after the crop
  bool only_scaled_;
};

}  // namespace

Images take(Images images, std::int64_t count) {
  FT_CHECK_OP(count, >=, 0);
  images.examples = std::min(images.examples, count);
  const auto kept = static_cast<std::size_t>(images.examples);
  images.labels.resize(kept);
  images.pixels.resize(kept * static_cast<std::size_t>(images.features()));
  return images;
}

std::shared_ptr<const ImageSource> make_source(Images images) {
  return std::make_shared<const HeldImages>(std::move(images));
}

Shape cropped(Shape image, const ImageOptions& options) {
  const int most = std::min(image.rows, image.columns) + 2 * options.pad;
  if (options.crop < 0 || options.crop > most) {
    throw DataError(fmt::format(
        "crop {} does not fit images of {} x {} pixels{}; write 0 (the whole image) to {}",
        options.crop, image.rows, image.columns,
        options.pad > 0 ? fmt::format(" with pad {}", options.pad) : "", most));
  }
  if (options.pad > 0 && options.crop <= options.pad) {
    throw DataError(fmt::format("with pad {} a crop of {} can miss the image; write a larger crop",
                                options.pad, options.crop));
  }
  return options.crop == 0 ? image : Shape{options.crop, options.crop, image.channels};
}

bool only_scaled(Shape image, const ImageOptions& options) {
  return cropped(image, options) == image && options.pad == 0 && !options.flip &&
         !options.standardise;
}

std::shared_ptr<const Dataset> make_dataset(std::shared_ptr<const ImageSource> source,
                                            const ImageOptions& options) {
  return std::make_shared<const ImageDataset>(std::move(source), options);
}

std::shared_ptr<const Dataset> make_dataset(Images images, const ImageOptions& options) {
  return make_dataset(make_source(std::move(images)), options);
}

}  // namespace foretrain
