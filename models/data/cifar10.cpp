// Reads CIFAR-10 records from mapped files.
#include "models/data/cifar10.h"

#include "models/data/file_bytes.h"
#include "models/data/refuse.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr std::int64_t kPlane = kCifarSide * kCifarSide;  // bytes

/// From [channels][pixels] to [pixels][channels].
void interleave(const std::uint8_t* planes, std::uint8_t* to) {
  for (std::int64_t pixel = 0; pixel < kPlane; ++pixel) {
    for (std::int64_t channel = 0; channel < kCifarChannels; ++channel) {
      to[pixel * kCifarChannels + channel] = planes[channel * kPlane + pixel];
    }
  }
}

/// The number of records of a file, after a check of its length.
std::int64_t records_of(std::span<const std::uint8_t> file, const std::string& path) {
  const auto bytes = static_cast<std::int64_t>(file.size());
  if (bytes == 0) refuse(path, "the file is empty; fetch it again");
  if (bytes % kCifarRecord != 0) {
    refuse(path, "record {} has {} of its {} bytes; the file is truncated, fetch it again",
           grouped(bytes / kCifarRecord), grouped(bytes % kCifarRecord), grouped(kCifarRecord));
  }
  return bytes / kCifarRecord;
}

/// Appends the labels of a file to `labels`.
void read_labels(std::span<const std::uint8_t> file, const std::string& path,
                 std::vector<std::uint16_t>& labels) {
  const std::int64_t records = records_of(file, path);
  labels.reserve(labels.size() + static_cast<std::size_t>(records));
  for (std::int64_t i = 0; i < records; ++i) {
    const std::uint8_t label = file[static_cast<std::size_t>(i * kCifarRecord)];
    if (label >= kCifarClasses) {
      refuse(path, "label {} at record {} (counted from 0) where labels are 0 to {}; {}", label,
             grouped(i), kCifarClasses - 1, "this is no CIFAR-10 file, or it is damaged");
    }
    labels.push_back(label);
  }
}

/// Images that are read from their files on demand.
class MappedCifar : public ImageSource {
 public:
  explicit MappedCifar(std::vector<FileBytes> files) : files_(std::move(files)) {
    starts_.reserve(files_.size());
    for (const FileBytes& file : files_) {
      starts_.push_back(static_cast<std::int64_t>(labels_.size()));
      read_labels(file.bytes(), file.path(), labels_);
    }
  }

  [[nodiscard]] std::int64_t examples() const override {
    return static_cast<std::int64_t>(labels_.size());
  }
  [[nodiscard]] Shape image() const override { return {kCifarSide, kCifarSide, kCifarChannels}; }
  [[nodiscard]] int classes() const override { return kCifarClasses; }
  [[nodiscard]] int label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }
  const std::uint8_t* pixels(std::int64_t index,
                             std::vector<std::uint8_t>& scratch) const override {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), index);
    const auto file = static_cast<std::size_t>(after - starts_.begin()) - 1;
    scratch.resize(static_cast<std::size_t>(image().size()));
    interleave(files_[file].bytes().data() + (index - starts_[file]) * kCifarRecord + 1,
               scratch.data());
    return scratch.data();
  }
  [[nodiscard]] bool slow() const override { return true; }

 private:
  std::vector<FileBytes> files_;
  std::vector<std::int64_t> starts_;  ///< the first image of each file
  std::vector<std::uint16_t> labels_;
};

Images hold(const ImageSource& source) {
  Images images;
  images.examples = source.examples();
  images.rows = kCifarSide;
  images.columns = kCifarSide;
  images.channels = kCifarChannels;
  images.classes = kCifarClasses;
  const auto size = static_cast<std::size_t>(images.features());
  images.labels.resize(static_cast<std::size_t>(images.examples));
  images.pixels.resize(images.labels.size() * size);
  std::vector<std::uint8_t> scratch;
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    images.labels[i] = static_cast<std::uint16_t>(source.label(index));
    std::copy_n(source.pixels(index, scratch), size, images.pixels.data() + i * size);
  }
  return images;
}

std::vector<FileBytes> map_all(const std::vector<std::string>& paths) {
  std::vector<FileBytes> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.emplace_back(path, "a CIFAR-10 file");
  return files;
}

}  // namespace

CifarFiles find_cifar10_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    refuse(folder, "no such folder; name the one that holds data_batch_1.bin");
  }
  CifarFiles files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(".bin")) continue;
    if (name.starts_with("data_batch_")) files.train.push_back(entry->path().string());
    if (name.starts_with("test_")) files.test.push_back(entry->path().string());
  }
  if (error) refuse(folder, "cannot be read: {}", error.message());
  for (const auto& [found, name] :
       {std::pair(&files.train, "data_batch_*.bin"), std::pair(&files.test, "test_*.bin")}) {
    if (!found->empty()) continue;
    refuse(folder, "the folder has no {} of CIFAR-10; put it there, or name another folder", name);
  }
  // The order of a folder's listing is undefined: sort it to get the same set on every machine.
  std::sort(files.train.begin(), files.train.end());
  std::sort(files.test.begin(), files.test.end());
  return files;
}

std::int64_t count_cifar10(const std::vector<std::string>& files) {
  std::int64_t records = 0;
  for (const FileBytes& file : map_all(files)) records += records_of(file.bytes(), file.path());
  return records;
}

Images parse_cifar10(std::span<const std::uint8_t> file, const std::string& path) {
  Images images;
  read_labels(file, path, images.labels);
  images.examples = static_cast<std::int64_t>(images.labels.size());
  images.rows = kCifarSide;
  images.columns = kCifarSide;
  images.channels = kCifarChannels;
  images.classes = kCifarClasses;
  images.pixels.resize(images.labels.size() * static_cast<std::size_t>(images.features()));
  for (std::int64_t i = 0; i < images.examples; ++i) {
    interleave(file.data() + i * kCifarRecord + 1, images.pixels.data() + i * images.features());
  }
  return images;
}

std::shared_ptr<const ImageSource> open_cifar10(const std::vector<std::string>& files,
                                                Bytes memory_limit) {
  auto mapped = std::make_shared<const MappedCifar>(map_all(files));
  if (mapped->examples() * mapped->image().size() > memory_limit.value) return mapped;
  return make_source(hold(*mapped));
}

ImageSources open_cifar10_folder(const std::string& folder, Bytes memory_limit) {
  const CifarFiles files = find_cifar10_files(folder);
  return {open_cifar10(files.train, memory_limit), open_cifar10(files.test, memory_limit)};
}

}  // namespace foretrain
