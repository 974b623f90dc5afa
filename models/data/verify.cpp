// Reads a data file of any format to say what is in it.
#include "models/data/verify.h"

#include "models/data/cifar10.h"
#include "models/data/criteo.h"
#include "models/data/dataset.h"
#include "models/data/feature_hash.h"
#include "models/data/file_bytes.h"
#include "models/data/idx.h"
#include "models/data/libsvm.h"
#include "models/data/refuse.h"
#include "models/data/unpacker.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr int kAnyClass = 65'536;  // of IDX labels: whatever there is
constexpr int kHashBits = 20;      // of what has to be hashed
constexpr const char* kDataFile = "a data file";

enum class FileKind { kUnknown, kIdx, kCifar10, kLibsvm, kCriteo };

/// Counts by class, as `0: 5,923  1: 6,742 ...`.
class ClassCounts {
 public:
  void add(int label) { ++counts_[label]; }

  [[nodiscard]] std::string text() const {
    constexpr std::size_t kMost = 20;
    std::string text = fmt::format("classes    {} (", counts_.size());
    std::size_t told = 0;
    for (const auto& [label, count] : counts_) {
      if (told == kMost) {
        text += fmt::format(", {} more", counts_.size() - told);
        break;
      }
      text += fmt::format("{}{}: {}", told == 0 ? "" : ", ", label, grouped(count));
      ++told;
    }
    return text + ")\n";
  }

 private:
  std::map<int, std::int64_t> counts_;
};

std::string describe_images(std::string_view format, const ImageSource& source) {
  ClassCounts classes;
  std::vector<std::uint8_t> scratch;
  int low = 255;
  int high = 0;
  std::uint64_t sum = 0;
  const std::int64_t size = source.image().size();
  for (std::int64_t i = 0; i < source.examples(); ++i) {
    classes.add(source.label(i));
    const std::uint8_t* pixels = source.pixels(i, scratch);
    for (std::int64_t pixel = 0; pixel < size; ++pixel) {
      low = std::min<int>(low, pixels[pixel]);
      high = std::max<int>(high, pixels[pixel]);
      sum += pixels[pixel];
    }
  }
  const double mean = static_cast<double>(sum) /
                      (static_cast<double>(source.examples()) * static_cast<double>(size));
  return fmt::format(
      "format     {}\nexamples   {}\nshape      {}\n{}values     {} to {}, mean {:.2f}\n", format,
      grouped(source.examples()), to_string(source.image()), classes.text(), low, high, mean);
}

/// What a sparse data set holds; of hashed ones the features are not those of the file.
std::string describe_sparse(std::string_view format, const Dataset& dataset, bool hashed) {
  constexpr std::int64_t kAtOnce = 1'000;
  ClassCounts classes;
  Batch batch;
  std::vector<std::int64_t> which;
  which.reserve(kAtOnce);
  std::vector<bool> seen;
  std::uint64_t entries = 0;
  float low = std::numeric_limits<float>::max();
  float high = std::numeric_limits<float>::lowest();
  for (std::int64_t start = 0; start < dataset.examples(); start += kAtOnce) {
    which.clear();
    for (std::int64_t i = start; i < std::min(start + kAtOnce, dataset.examples()); ++i) {
      which.push_back(i);
    }
    dataset.gather(which, nullptr, batch);
    for (const std::int32_t label : batch.labels) classes.add(label);
    for (const std::uint32_t feature : batch.sparse.features) {
      if (feature >= seen.size()) seen.resize(feature + std::size_t{1});
      seen[feature] = true;
    }
    for (const float value : batch.sparse.values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    entries += batch.sparse.values.size();
  }
  const auto features = std::count(seen.begin(), seen.end(), true);
  const double a_row = static_cast<double>(entries) / static_cast<double>(dataset.examples());
  std::string text =
      fmt::format("format     {}\nexamples   {}\nfeatures   {} distinct{}, {:.2f} an example",
                  format, grouped(dataset.examples()), grouped(features),
                  hashed ? fmt::format(" (hashed to {} bits)", kHashBits) : "", a_row);
  if (!hashed && features > 0) {
    text += fmt::format(", density {:.4f}", a_row / static_cast<double>(features));
  }
  text += "\n" + classes.text();
  if (entries > 0) text += fmt::format("values     {:g} to {:g}\n", low, high);
  return text;
}

std::string describe_criteo(const std::string& path) {
  const auto dataset = open_criteo(path, kHashBits, Bytes{0});
  std::string text = describe_sparse("Criteo", *dataset, true);
  // The rows are sound, so every missing field is a tab before another, or before the line's end.
  const FileBytes file(path, kDataFile);
  std::int64_t missing = 0;
  char before = '\n';
  for (const char c : file.text()) {
    missing += before == '\t' && (c == '\t' || c == '\n' || c == '\r') ? 1 : 0;
    before = c;
  }
  missing += before == '\t' ? 1 : 0;
  const double fields = static_cast<double>(dataset->examples()) * (kCriteoFields - 1);
  return text + fmt::format("missing    {:.1f} % of the fields\n",
                            100 * static_cast<double>(missing) / fields);
}

std::string describe_libsvm(const std::string& path) {
  LibsvmOptions options;
  options.hash_bits = kHashBitsMax;  // so that indices are features as they are
  const auto dataset = open_libsvm(path, options, Bytes{0});
  return describe_sparse("LIBSVM", *dataset, false);
}

std::string describe_idx_labels(const std::string& path, const IdxHeader& header) {
  const FileBytes file(path, kDataFile);
  ClassCounts classes;
  for (const std::uint16_t label : parse_idx_labels(file.bytes(), path, kAnyClass)) {
    classes.add(label);
  }
  return fmt::format("format     IDX labels\nexamples   {}\n{}", grouped(header.examples),
                     classes.text());
}

/// Images without their labels.
std::string describe_idx_images(const std::string& path, const IdxHeader& header) {
  const FileBytes file(path, kDataFile);
  const std::vector<std::uint8_t> pixels = parse_idx_pixels(file.bytes(), path);
  const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
  std::uint64_t sum = 0;
  for (const std::uint8_t pixel : pixels) sum += pixel;
  return fmt::format(
      "format     IDX images\nexamples   {}\nshape      {}\nvalues     {} to {}, mean {:.2f}\n",
      grouped(header.examples), to_string(Shape{header.rows, header.columns, header.channels}),
      *low, *high, static_cast<double>(sum) / static_cast<double>(pixels.size()));
}

bool starts_like_idx(std::span<const std::uint8_t> start) {
  return start.size() >= 4 && start[0] == 0 && start[1] == 0 &&
         (start[2] == 0x08 || start[2] == 0x0b) && start[3] >= 1 && start[3] <= 4;
}

/// By the first bytes: text is told from binary, then by its tabs.
FileKind kind_of_file(const FileBytes& file) {
  constexpr std::size_t kLook = 4'096;
  const auto start = file.bytes().first(std::min(file.bytes().size(), kLook));
  if (starts_like_idx(start) || (start.size() >= 2 && start[0] == 0x1f && start[1] == 0x8b)) {
    return FileKind::kIdx;
  }
  const bool text = std::all_of(start.begin(), start.end(), [](std::uint8_t byte) {
    return byte >= ' ' || byte == '\t' || byte == '\r' || byte == '\n';
  });
  if (!text) return file.path().ends_with(".bin") ? FileKind::kCifar10 : FileKind::kUnknown;
  const std::string_view first = file.text().substr(0, file.text().find('\n'));
  // A damaged row is to be told as such, so a few tabs are enough.
  constexpr int kFewTabs = 10;
  if (std::count(first.begin(), first.end(), '\t') >= kFewTabs) return FileKind::kCriteo;
  return FileKind::kLibsvm;
}

std::string describe_file(const std::string& path) {
  switch (kind_of_file(FileBytes(path, kDataFile))) {
    case FileKind::kIdx: {
      const IdxHeader header = read_idx_header(path);
      return header.kind == IdxKind::kLabels ? describe_idx_labels(path, header)
                                             : describe_idx_images(path, header);
    }
    case FileKind::kCifar10:
      return describe_images("CIFAR-10", *open_cifar10({path}, Bytes{0}));
    case FileKind::kLibsvm:
      return describe_libsvm(path);
    case FileKind::kCriteo:
      return describe_criteo(path);
    case FileKind::kUnknown:
      break;
  }
  refuse(path, "neither IDX nor CIFAR-10 (*.bin) nor text of LIBSVM or Criteo");
}

/// The names that a folder's files have, by format; `*` stands for anything.
FileKind kind_of_name(std::string_view name) {
  if (name.starts_with("train-") || name.starts_with("t10k-")) return FileKind::kIdx;
  if (name.ends_with(".bin")) return FileKind::kCifar10;
  if (name.ends_with(".train") || name.ends_with(".test")) return FileKind::kLibsvm;
  if (name == "train.csv" || name == "test.csv" || name == "dev.csv") return FileKind::kCriteo;
  return FileKind::kUnknown;
}

std::string describe_idx_folder(const std::string& folder) {
  const ImageSources sources = open_idx_folder(folder, kAnyClass, Bytes{2'000'000'000});
  return "train\n" + describe_images("IDX", *sources.train) + "test\n" +
         describe_images("IDX", *sources.test);
}

std::string describe_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  bool idx = false;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const FileKind format = kind_of_name(name);
    idx = idx || format == FileKind::kIdx;
    if (format != FileKind::kUnknown) files.push_back(entry->path().string());
  }
  if (error) refuse(folder, "cannot be read: {}", error.message());
  if (idx) return describe_idx_folder(folder);
  if (files.empty()) {
    refuse(folder, "the folder has no data set: {}",
           "no train-images-idx3-ubyte, no data_batch_1.bin, no .train file, no train.csv");
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const std::string& file : files) {
    text += fs::path(file).filename().string() + "\n" + describe_file(file);
  }
  return text;
}

}  // namespace

std::string describe_data(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? describe_folder(path) : describe_file(path);
}

}  // namespace foretrain
