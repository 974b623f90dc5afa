// Opens each format with its reader.
#include "models/data/open_data.h"

#include "models/base/check.h"
#include "models/data/cifar10.h"
#include "models/data/criteo.h"
#include "models/data/digits.h"
#include "models/data/drawn_clicks.h"
#include "models/data/drawn_images.h"
#include "models/data/idx.h"
#include "models/data/libsvm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace foretrain {
namespace {

constexpr int kDigitsSide = 28;  // pixels

// Limits of images held in memory.
constexpr Bytes kAll{std::numeric_limits<std::int64_t>::max()};
constexpr Bytes kNothing{-1};

/// The first examples of another data set.
class FirstExamples : public Dataset {
 public:
  FirstExamples(std::shared_ptr<const Dataset> whole, std::int64_t count)
      : whole_(std::move(whole)), count_(count) {}

  [[nodiscard]] std::int64_t examples() const override { return count_; }
  [[nodiscard]] InputShape shape() const override { return whole_->shape(); }
  void gather(std::span<const std::int64_t> which, Stream* augment, Batch& batch) const override {
    for (const std::int64_t example : which) FT_CHECK_OP(example, <, count_);
    whole_->gather(which, augment, batch);
  }
  [[nodiscard]] bool worth_prefetching() const override { return whole_->worth_prefetching(); }

 private:
  std::shared_ptr<const Dataset> whole_;
  std::int64_t count_;
};

int idx_classes(const DataSource& source) {
  return source.classes > 0 ? source.classes : kIdxClasses;
}

ImageSources drawn_digits(const DataSource& source) {
  ImageSplit split = draw_digits(source.train_count, source.test_count, source.seed);
  return {make_source(std::move(split.train)), make_source(std::move(split.test))};
}

ImageSources drawn_images(const DataSource& source) {
  ImagesSpec spec;
  spec.side = source.side;
  spec.channels = source.channels;
  if (source.classes > 0) spec.classes = source.classes;
  spec.train_count = source.train_count;
  spec.test_count = source.test_count;
  spec.seed = source.seed;
  return draw_images(spec);
}

DataSplit as_numbers(const ImageSources& sources, const ImageOptions& options) {
  return {make_dataset(sources.train, options), make_dataset(sources.test, options)};
}

DataSplit open_idx(const DataSource& source) {
  return as_numbers(open_idx_folder(source.path, idx_classes(source), source.memory_limit),
                    source.image);
}

DataSplit open_cifar(const DataSource& source) {
  return as_numbers(open_cifar10_folder(source.path, source.memory_limit), source.image);
}

DataSplit open_libsvm_text(const DataSource& source) {
  LibsvmOptions options;
  options.hash_bits = source.hash_bits;
  options.classes = source.classes;
  return open_libsvm_folder(source.path, options, source.memory_limit);
}

DataSplit open_criteo_text(const DataSource& source) {
  return open_criteo_folder(source.path, source.hash_bits, source.memory_limit);
}

ClicksSpec clicks_of(const DataSource& source) {
  return {source.hash_bits, source.train_count, source.test_count, source.seed};
}

/// Images are held in memory up to `limit`, for train and test each.
DataSummary summary_of_images(std::int64_t train, std::int64_t test, Shape image, int classes,
                              const ImageOptions& options, Bytes limit) {
  DataSummary summary{train, test, {.image = cropped(image, options), .classes = classes}};
  const auto held = [&](std::int64_t examples) { return examples * image.size() <= limit.value; };
  for (const std::int64_t examples : {train, test}) {
    constexpr std::int64_t kLabel = sizeof(decltype(Images::labels)::value_type);
    if (held(examples)) summary.memory += Bytes{examples * (image.size() + kLabel)};
  }
  summary.prefetched = !held(train) || !only_scaled(image, options);
  return summary;
}

DataSummary summarize_digits(const DataSource& source) {
  return summary_of_images(source.train_count, source.test_count, {kDigitsSide, kDigitsSide, 1},
                           kIdxClasses, source.image, kAll);
}

DataSummary summarize_images(const DataSource& source) {
  const ImageSources drawn = drawn_images(source);  // images are drawn on demand only
  return summary_of_images(drawn.train->examples(), drawn.test->examples(), drawn.train->image(),
                           drawn.train->classes(), source.image, kNothing);
}

DataSummary summarize_clicks(const DataSource& source) {
  const InputShape shape = clicks_shape(clicks_of(source));
  return {source.train_count,
          source.test_count,
          shape,
          table_bytes(source.train_count + source.test_count, shape),
          false,
          clicks_drawing()};
}

DataSummary summarize_idx(const DataSource& source) {
  const IdxFolder headers = read_idx_headers(source.path);
  const IdxHeader& images = headers.train.images;
  return summary_of_images(images.examples, headers.test.images.examples,
                           {images.rows, images.columns, images.channels}, idx_classes(source),
                           source.image, source.memory_limit);
}

DataSummary summarize_cifar(const DataSource& source) {
  const CifarFiles files = find_cifar10_files(source.path);
  return summary_of_images(count_cifar10(files.train), count_cifar10(files.test),
                           {kCifarSide, kCifarSide, kCifarChannels}, kCifarClasses, source.image,
                           source.memory_limit);
}

/// A data format.
struct Format {
  const char* name;
  const char* what;
  DataSplit (*open)(const DataSource&);
  DataSummary (*summarize)(const DataSource&);  ///< null: it requires the examples
};

constexpr Format kFormats[] = {
    {"digits", "generated: grey digits of 28 x 28 pixels, ten classes",
     [](const DataSource& s) { return as_numbers(drawn_digits(s), s.image); }, summarize_digits},
    {"images", "generated: images of any size (side), any number of classes",
     [](const DataSource& s) { return as_numbers(drawn_images(s), s.image); }, summarize_images},
    {"clicks",
     "generated: sparse rows of advertising, clicked or not, hashed to 2^hash_bits features",
     [](const DataSource& s) { return draw_clicks(clicks_of(s)); }, summarize_clicks},
    {"idx", "files: MNIST and data sets of its format, four files, plain or gzip", open_idx,
     summarize_idx},
    {"cifar10", "files: CIFAR-10 binary, data_batch_*.bin for training, test*.bin for tests",
     open_cifar, summarize_cifar},
    {"libsvm", "files: LIBSVM text, *.train and *.test", open_libsvm_text, nullptr},
    {"criteo", "files: Criteo TSV, train.csv for training, dev.csv or test.csv for tests",
     open_criteo_text, nullptr},
};

const Format& format_of(const DataSource& source) {
  for (const Format& format : kFormats) {
    if (source.format == format.name) return format;
  }
  std::string names;
  for (const Format& format : kFormats)
    names += names.empty() ? format.name : std::string(", ") + format.name;
  throw DataError(fmt::format("there is no format `{}`; write one of {}", source.format, names));
}

/// `count` different numbers below `bound`, ascending (Floyd's algorithm: Bentley, Floyd 1987).
std::vector<std::int64_t> draw_some(std::int64_t count, std::int64_t bound, Stream& stream) {
  std::set<std::int64_t> drawn;
  for (std::int64_t last = bound - count; last < bound; ++last) {
    const auto draw = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(last) + 1));
    if (!drawn.insert(draw).second) drawn.insert(last);
  }
  return {drawn.begin(), drawn.end()};
}

}  // namespace

// The memory of a SparseTable: a start and a label a row, a feature and a value an entry.
Bytes table_bytes(std::int64_t examples, const InputShape& shape) {
  const double entries = static_cast<double>(examples) * shape.sparse_entries;
  constexpr std::int64_t kRow = sizeof(std::uint64_t) + sizeof(std::uint16_t);
  constexpr std::int64_t kEntry = sizeof(std::uint32_t) + sizeof(float);
  return {examples * kRow + std::llround(entries) * kEntry};
}

std::vector<std::string> data_formats() {
  std::vector<std::string> names;
  names.reserve(std::size(kFormats));
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string describe_formats() {
  std::string text;
  for (const Format& format : kFormats) text += fmt::format("{:<9}{}\n", format.name, format.what);
  return text;
}

DataSplit open_data(const DataSource& source) { return format_of(source).open(source); }

std::optional<DataSummary> summarize_data(const DataSource& source) {
  const Format& format = format_of(source);
  if (format.summarize == nullptr) return std::nullopt;
  return format.summarize(source);
}

std::shared_ptr<const Dataset> take(std::shared_ptr<const Dataset> dataset, std::int64_t count) {
  FT_CHECK_OP(count, >=, 0);
  if (count >= dataset->examples()) return dataset;
  return std::make_shared<const FirstExamples>(std::move(dataset), count);
}

double mean_distinct(const Dataset& dataset, std::int64_t batch_size) {
  FT_CHECK(dataset.shape().sparse());
  FT_CHECK_OP(batch_size, >, 0);
  constexpr int kBatches = 32;
  const std::int64_t size = std::min(batch_size, dataset.examples());
  const int batches = size < dataset.examples() ? kBatches : 1;
  Stream stream(0, "data.mean_distinct");
  Batch batch;
  double sum = 0;
  for (int i = 0; i < batches; ++i) {
    dataset.gather(draw_some(size, dataset.examples(), stream), nullptr, batch);
    sum += static_cast<double>(batch.sparse.features.size());
  }
  return sum / batches;
}

}  // namespace foretrain
