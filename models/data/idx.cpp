// Reads IDX files through zlib, which passes plain files on as they are.
#include "models/data/idx.h"

#include "models/base/check.h"

#include <fmt/format.h>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr std::uint32_t kImagesMagic = 0x00000803;
constexpr std::uint32_t kLabelsMagic = 0x00000801;
constexpr std::int64_t kImagesHeader = 16;  // bytes
constexpr std::int64_t kLabelsHeader = 8;   // bytes
constexpr int kClasses = 10;
constexpr std::uint32_t kSideMax = 4'096;              // pixels; keeps rows * columns an int
constexpr std::int64_t kFileBytesMax = 4'000'000'000;  // beyond it a header is damaged
constexpr std::int64_t kPackingMax = 1'032;  // deflate cannot pack better (zlib's technical notes)
constexpr const char* kFetchAgain = "the file is damaged, fetch it again";

/// 47040016 as 47,040,016.
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::int64_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

template <class... Values>
[[noreturn]] void fail(const std::string& path, fmt::format_string<Values...> what,
                       Values&&... values) {
  throw DataError(path + ": " + fmt::format(what, std::forward<Values>(values)...));
}

/// A file to read from front to back, unpacked on the way where it is packed.
class Input {
 public:
  explicit Input(std::string path) : path_(std::move(path)) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const auto status = fs::status(path_, ignored);
    if (!fs::exists(status)) fail(path_, "no such file; check the path, or fetch the data set");
    if (fs::is_directory(status)) fail(path_, "a folder where an IDX file is expected");
    if (!fs::is_regular_file(status)) fail(path_, "not a regular file; an IDX file is expected");
    file_bytes_ = static_cast<std::int64_t>(fs::file_size(path_, ignored));
    if (file_bytes_ == 0) fail(path_, "the file is empty; fetch it again");
    file_ = gzopen(path_.c_str(), "rb");
    if (file_ == nullptr) fail(path_, "cannot be opened: {}", std::strerror(errno));
    gzbuffer(file_, 256 * 1024);  // before gzdirect, which allocates the buffer
    packed_ = gzdirect(file_) == 0;
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    if (file_ != nullptr) gzclose_r(file_);
  }

  /// Fills `into` as far as the data goes; returns the bytes read.
  std::size_t read(std::span<std::uint8_t> into) {
    const int got = gzread(file_, into.data(), static_cast<unsigned>(into.size()));
    if (got < 0) fail_to_read();
    position_ += got;
    return static_cast<std::size_t>(got);
  }

  /// The next byte must be the end of the data. Reading it makes zlib compare its checksum.
  void expect_end() {
    const std::int64_t promised = position_;
    std::uint8_t surplus = 0;
    if (read({&surplus, 1}) != 0) {
      fail(path_, "goes on after the {} bytes that its header promises; {}", grouped(promised),
           kFetchAgain);
    }
    int error = Z_OK;
    gzerror(file_, &error);
    if (error == Z_BUF_ERROR) {
      fail(path_, "ends inside the checksum of its gzip stream; the file is truncated, {}",
           "fetch it again");
    }
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool packed() const { return packed_; }
  [[nodiscard]] std::int64_t position() const { return position_; }
  /// Bytes on disk.
  [[nodiscard]] std::int64_t file_bytes() const { return file_bytes_; }

 private:
  [[noreturn]] void fail_to_read() {
    int error = Z_OK;
    const std::string why = gzerror(file_, &error);
    if (error == Z_ERRNO) fail(path_, "cannot be read: {}", std::strerror(errno));
    fail(path_, "its gzip stream is corrupt after {} bytes ({}); {}", grouped(position_), why,
         kFetchAgain);
  }

  std::string path_;
  gzFile file_ = nullptr;
  bool packed_ = false;
  std::int64_t position_ = 0;
  std::int64_t file_bytes_ = 0;
};

[[noreturn]] void fail_truncated(const Input& input, std::int64_t found, std::int64_t expected) {
  fail(input.path(), "{} after {} of {} bytes; the file is truncated, fetch it again",
       input.packed() ? "its unpacked data ends" : "ends", grouped(found), grouped(expected));
}

std::uint32_t read_number(Input& input, std::int64_t header_bytes) {
  std::array<std::uint8_t, 4> raw{};
  if (input.read(raw) != raw.size()) {
    fail(input.path(), "ends after {} of the {} bytes of its header; {}", input.position(),
         header_bytes, "the file is truncated, fetch it again");
  }
  return static_cast<std::uint32_t>(raw[0]) << 24 | static_cast<std::uint32_t>(raw[1]) << 16 |
         static_cast<std::uint32_t>(raw[2]) << 8 | static_cast<std::uint32_t>(raw[3]);
}

std::int64_t header_bytes_of(IdxKind kind) {
  return kind == IdxKind::kImages ? kImagesHeader : kLabelsHeader;
}

std::int64_t data_bytes_of(const IdxHeader& header) {
  if (header.kind == IdxKind::kLabels) return header.examples;
  return header.examples * header.rows * header.columns;
}

/// Refuses a length that is not the file's, before anything is allocated for it. A packed file is
/// refused only where no packing could be that good.
void check_length(const Input& input, const IdxHeader& header) {
  const std::int64_t expected = header_bytes_of(header.kind) + data_bytes_of(header);
  if (expected > kFileBytesMax) {
    fail(input.path(), "its header promises {} bytes ({} examples), more than the {} allowed; {}",
         grouped(expected), grouped(header.examples), grouped(kFileBytesMax), kFetchAgain);
  }
  if (input.packed()) {
    if (expected / kPackingMax > input.file_bytes()) {
      fail(input.path(), "{} packed bytes cannot hold the {} bytes that its header promises; {}",
           grouped(input.file_bytes()), grouped(expected), kFetchAgain);
    }
    return;
  }
  if (input.file_bytes() < expected) fail_truncated(input, input.file_bytes(), expected);
  if (input.file_bytes() > expected) {
    fail(input.path(), "has {} bytes where its header promises {}; {}", grouped(input.file_bytes()),
         grouped(expected), kFetchAgain);
  }
}

/// Reads the header; `expected` is the kind of file that it should be, if one is known.
IdxHeader read_header(Input& input, const IdxKind* expected) {
  const bool want_labels = expected != nullptr && *expected == IdxKind::kLabels;
  const auto magic = read_number(input, want_labels ? kLabelsHeader : kImagesHeader);
  if (expected == nullptr && magic != kImagesMagic && magic != kLabelsMagic) {
    fail(input.path(), "magic 0x{:08x} where an IDX file has 0x{:08x} (images) or 0x{:08x} {}",
         magic, kImagesMagic, kLabelsMagic, "(labels); this is no IDX file of unsigned bytes");
  }
  if (expected != nullptr && magic != (want_labels ? kLabelsMagic : kImagesMagic)) {
    const char* hint = magic == kLabelsMagic   ? "is this the label file?"
                       : magic == kImagesMagic ? "is this the image file?"
                                               : "this is no IDX file of unsigned bytes";
    fail(input.path(), "magic 0x{:08x} where an IDX {} file has 0x{:08x}; {}", magic,
         want_labels ? "label" : "image", want_labels ? kLabelsMagic : kImagesMagic, hint);
  }

  IdxHeader header;
  header.kind = magic == kImagesMagic ? IdxKind::kImages : IdxKind::kLabels;
  const std::int64_t bytes = header_bytes_of(header.kind);
  header.examples = read_number(input, bytes);
  if (header.kind == IdxKind::kImages) {
    const auto rows = read_number(input, bytes);
    const auto columns = read_number(input, bytes);
    if (std::min(rows, columns) == 0 || std::max(rows, columns) > kSideMax) {
      fail(input.path(),
           "its header promises images of {} x {} pixels, where a side has 1 to {}; {}",
           grouped(rows), grouped(columns), grouped(kSideMax), kFetchAgain);
    }
    header.rows = static_cast<int>(rows);
    header.columns = static_cast<int>(columns);
  }
  if (header.examples == 0) {
    fail(input.path(), "holds 0 examples where a data set needs at least one; {}", kFetchAgain);
  }
  check_length(input, header);
  return header;
}

std::vector<std::uint8_t> read_data(Input& input, const IdxHeader& header) {
  const auto size = static_cast<std::size_t>(data_bytes_of(header));
  // In pieces, so that a packed file that lies of its length costs no more memory than it fills.
  constexpr std::size_t kPiece = 4'000'000;
  std::vector<std::uint8_t> data;
  while (data.size() < size) {
    const std::size_t before = data.size();
    const std::size_t piece = std::min(kPiece, size - before);
    data.resize(before + piece);
    if (input.read(std::span(data).subspan(before)) < piece) {
      fail_truncated(input, input.position(), header_bytes_of(header.kind) + data_bytes_of(header));
    }
  }
  input.expect_end();
  return data;
}

void check_labels(const std::string& path, const std::vector<std::uint8_t>& labels) {
  const auto wrong =
      std::find_if(labels.begin(), labels.end(), [](auto label) { return label >= kClasses; });
  if (wrong == labels.end()) return;
  fail(path, "label {} at record {} (counted from 0) where labels are 0 to {}; {}", *wrong,
       grouped(wrong - labels.begin()), kClasses - 1, kFetchAgain);
}

/// The first of the names a file may have that is there; empty where none is.
std::string find_file(const std::filesystem::path& folder, std::string_view stem,
                      std::string_view type) {
  for (const char* packing : {"", ".gz"}) {
    for (const char* joint : {"-", "."}) {
      const auto path = folder / fmt::format("{}{}{}{}", stem, joint, type, packing);
      std::error_code ignored;
      if (std::filesystem::exists(path, ignored)) return path.string();
    }
  }
  return {};
}

void write_file(const std::string& path, std::initializer_list<std::int64_t> header,
                const std::vector<std::uint8_t>& data) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  for (const std::int64_t number : header) {
    for (const int shift : {24, 16, 8, 0}) out.put(static_cast<char>(number >> shift & 0xff));
  }
  out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  out.close();
  if (!out) fail(path, "cannot be written: {}", std::strerror(errno));
}

}  // namespace

IdxHeader read_idx_header(const std::string& path) {
  Input input(path);
  return read_header(input, nullptr);
}

Dataset read_idx_dataset(const std::string& images_path, const std::string& labels_path) {
  const auto images_kind = IdxKind::kImages;
  const auto labels_kind = IdxKind::kLabels;
  Input images(images_path);
  const IdxHeader shape = read_header(images, &images_kind);
  Input labels(labels_path);
  const IdxHeader count = read_header(labels, &labels_kind);
  if (shape.examples != count.examples) {
    throw DataError(fmt::format(
        "{}: {} images, but {}: {} labels; the two files must belong together, fetch both again",
        images_path, grouped(shape.examples), labels_path, grouped(count.examples)));
  }
  Dataset dataset;
  dataset.examples = shape.examples;
  dataset.rows = shape.rows;
  dataset.columns = shape.columns;
  dataset.classes = kClasses;
  dataset.labels = read_data(labels, count);
  check_labels(labels_path, dataset.labels);
  dataset.pixels = read_data(images, shape);
  return dataset;
}

IdxFiles find_idx_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    fail(folder, "no such folder; name the one that holds the four files of the data set");
  }
  if (!fs::is_directory(folder, ignored)) {
    fail(folder, "not a folder; name the one that holds the four files of the data set");
  }
  IdxFiles files;
  std::vector<std::string> missing;
  const auto find = [&](std::string_view stem, std::string_view type, std::string& path) {
    path = find_file(folder, stem, type);
    if (path.empty()) missing.push_back(fmt::format("{}-{}", stem, type));
  };
  find("train-images", "idx3-ubyte", files.train_images);
  find("train-labels", "idx1-ubyte", files.train_labels);
  find("t10k-images", "idx3-ubyte", files.test_images);
  find("t10k-labels", "idx1-ubyte", files.test_labels);
  if (!missing.empty()) {
    fail(folder, "the folder has no {} (plain or .gz); put it there, or name another folder",
         fmt::join(missing, ", no "));
  }
  return files;
}

DataSplit read_idx_folder(const std::string& folder) {
  const IdxFiles files = find_idx_files(folder);
  DataSplit split;
  split.test = read_idx_dataset(files.test_images, files.test_labels);
  split.train = read_idx_dataset(files.train_images, files.train_labels);
  const Dataset& train = split.train;
  const Dataset& test = split.test;
  if (train.rows != test.rows || train.columns != test.columns) {
    throw DataError(fmt::format(
        "{}: images of {} x {} pixels, but {}: {} x {}; the files must be of one data set",
        files.train_images, train.rows, train.columns, files.test_images, test.rows, test.columns));
  }
  return split;
}

void write_idx(const Dataset& dataset, const std::string& images_path,
               const std::string& labels_path) {
  FT_CHECK_OP(dataset.labels.size(), ==, static_cast<std::size_t>(dataset.examples));
  FT_CHECK_OP(dataset.pixels.size(), ==, dataset.labels.size() * dataset.features());
  write_file(images_path, {kImagesMagic, dataset.examples, dataset.rows, dataset.columns},
             dataset.pixels);
  write_file(labels_path, {kLabelsMagic, dataset.examples}, dataset.labels);
}

}  // namespace foretrain
