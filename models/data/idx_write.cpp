// Writes IDX files.
#include "models/base/check.h"
#include "models/base/disk_error.h"
#include "models/data/idx.h"
#include "models/data/refuse.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <vector>

namespace foretrain {
namespace {

/// A file that is written from front to back, beside its place until it is whole.
class Output {
 public:
  Output(const std::string& path, std::initializer_list<std::int64_t> header)
      : path_(path), aside_(path + ".new"), out_(aside_, std::ios::binary | std::ios::trunc) {
    for (const std::int64_t number : header) {
      for (const int shift : {24, 16, 8, 0}) out_.put(static_cast<char>(number >> shift & 0xff));
    }
  }

  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (!whole_) std::remove(aside_.c_str());
  }

  void write(const std::uint8_t* bytes, std::int64_t count) {
    out_.write(reinterpret_cast<const char*>(bytes), count);
    check();
  }
  void close() {
    out_.close();
    check();
    whole_ = std::rename(aside_.c_str(), path_.c_str()) == 0;
    if (!whole_) fail();
  }

 private:
  void check() const {
    if (!out_) fail();
  }
  [[noreturn]] void fail() const {
    const int error = errno;
    if (!is_disk_full_or_broken(error)) {
      refuse(path_, "cannot be written: {}", std::strerror(error));
    }
    throw DataNotWritten(fmt::format("{}: cannot be written: {}", path_, std::strerror(error)));
  }

  std::string path_;
  std::string aside_;
  std::ofstream out_;
  bool whole_ = false;
};

void write_labels(const std::string& path, int classes, const std::vector<std::uint16_t>& labels) {
  constexpr int kByteClasses = 256;
  const bool wide = classes > kByteClasses;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(labels.size() * 2);
  for (const std::uint16_t label : labels) {
    FT_CHECK_OP(label, <, classes);
    if (wide) bytes.push_back(static_cast<std::uint8_t>(label >> 8));
    bytes.push_back(static_cast<std::uint8_t>(label & 0xff));
  }
  Output out(path, {wide ? 0xb01 : 0x801, static_cast<std::int64_t>(labels.size())});
  out.write(bytes.data(), static_cast<std::int64_t>(bytes.size()));
  out.close();
}

Output start_images(const std::string& path, std::int64_t examples, Shape shape) {
  if (shape.channels == 1) return {path, {0x803, examples, shape.rows, shape.columns}};
  return {path, {0x804, examples, shape.rows, shape.columns, shape.channels}};
}

}  // namespace

void write_idx(const Images& images, const std::string& images_path,
               const std::string& labels_path) {
  FT_CHECK_OP(images.labels.size(), ==, static_cast<std::size_t>(images.examples));
  FT_CHECK_OP(images.pixels.size(), ==, images.labels.size() * images.features());
  Output out =
      start_images(images_path, images.examples, {images.rows, images.columns, images.channels});
  out.write(images.pixels.data(), static_cast<std::int64_t>(images.pixels.size()));
  out.close();
  write_labels(labels_path, images.classes, images.labels);
}

void write_idx(const ImageSource& source, const std::string& images_path,
               const std::string& labels_path) {
  Output out = start_images(images_path, source.examples(), source.image());
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(source.examples()));
  std::vector<std::uint8_t> scratch;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    labels[i] = static_cast<std::uint16_t>(source.label(index));
    out.write(source.pixels(index, scratch), source.image().size());
  }
  out.close();
  write_labels(labels_path, source.classes(), labels);
}

}  // namespace foretrain
