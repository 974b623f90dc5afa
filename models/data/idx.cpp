// Reads IDX files: the header first, so that a false length allocates nothing.
#include "models/data/idx.h"

#include "models/base/check.h"
#include "models/data/file_bytes.h"
#include "models/data/refuse.h"
#include "models/data/unpacker.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr std::uint32_t kImagesMagic = 0x00000803;
constexpr std::uint32_t kChannelsMagic = 0x00000804;
constexpr std::uint32_t kLabelsMagic = 0x00000801;
constexpr std::uint32_t kWideLabelsMagic = 0x00000b01;
constexpr std::uint32_t kSideMax = 4'096;  // pixels; keeps rows * columns an int
constexpr std::uint32_t kChannelsMax = 4;
constexpr std::int64_t kPackedDataMax = 4'000'000'000;  // bytes; beyond it a header is damaged
constexpr std::int64_t kPackingMax = 1'032;             // limit of deflate (zlib's technical notes)
constexpr const char* kFetchAgain = "the file is damaged, fetch it again";
constexpr const char* kIdxFile = "an IDX file";

[[noreturn]] void fail_truncated(const Unpacker& input, std::int64_t found, std::int64_t expected) {
  refuse(input.path(), "{} after {} of {} bytes; the file is truncated, fetch it again",
         input.packed() ? "its unpacked data ends" : "ends", grouped(found), grouped(expected));
}

std::uint32_t read_number(Unpacker& input, std::int64_t header_bytes) {
  std::array<std::uint8_t, 4> raw{};
  if (input.read(raw) != raw.size()) {
    refuse(input.path(), "ends after {} of the {} bytes of its header; {}", input.position(),
           header_bytes, "the file is truncated, fetch it again");
  }
  return static_cast<std::uint32_t>(raw[0]) << 24 | static_cast<std::uint32_t>(raw[1]) << 16 |
         static_cast<std::uint32_t>(raw[2]) << 8 | static_cast<std::uint32_t>(raw[3]);
}

bool is_images(std::uint32_t magic) { return magic == kImagesMagic || magic == kChannelsMagic; }
bool is_labels(std::uint32_t magic) { return magic == kLabelsMagic || magic == kWideLabelsMagic; }

std::int64_t header_bytes_of(std::uint32_t magic) {
  if (is_labels(magic)) return 8;
  return magic == kChannelsMagic ? 20 : 16;
}

std::int64_t header_bytes_of(const IdxHeader& header) {
  if (header.kind == IdxKind::kLabels) return header_bytes_of(kLabelsMagic);
  return header_bytes_of(header.channels == 1 ? kImagesMagic : kChannelsMagic);
}

std::int64_t data_bytes_of(const IdxHeader& header) {
  if (header.kind == IdxKind::kLabels) return header.examples * header.label_bytes;
  return header.examples * header.rows * header.columns * header.channels;
}

/// Rejects a length that is not the file's, before anything is allocated for it. A packed file is
/// rejected only if no compression could reach that ratio.
void check_length(const Unpacker& input, const IdxHeader& header, std::int64_t header_bytes) {
  const std::int64_t expected = header_bytes + data_bytes_of(header);
  const std::int64_t there = input.file_bytes();
  // A plain file that really has this length is accepted.
  if (expected > kPackedDataMax && (input.packed() || there != expected)) {
    refuse(input.path(),
           "its header announces {} bytes ({} examples), more than the {} allowed; {}",
           grouped(expected), grouped(header.examples), grouped(kPackedDataMax), kFetchAgain);
  }
  if (input.packed()) {
    if (expected / kPackingMax > there) {
      refuse(input.path(), "{} packed bytes cannot hold the {} bytes that its header announces; {}",
             grouped(there), grouped(expected), kFetchAgain);
    }
    return;
  }
  if (there < expected) fail_truncated(input, there, expected);
  if (there > expected) {
    refuse(input.path(), "has {} bytes, but its header announces {}; {}", grouped(there),
           grouped(expected), kFetchAgain);
  }
}

void check_magic(const Unpacker& input, std::uint32_t magic, const IdxKind* expected) {
  if (expected == nullptr) {
    if (is_images(magic) || is_labels(magic)) return;
    refuse(input.path(), "magic 0x{:08x} where an IDX file has 0x{:08x} (images) or 0x{:08x} {}",
           magic, kImagesMagic, kLabelsMagic, "(labels); this is no IDX file of unsigned bytes");
  }
  const bool want_labels = *expected == IdxKind::kLabels;
  if (want_labels ? is_labels(magic) : is_images(magic)) return;
  const char* hint = is_labels(magic)   ? "is this the label file?"
                     : is_images(magic) ? "is this the image file?"
                                        : "this is no IDX file of unsigned bytes";
  refuse(input.path(), "magic 0x{:08x} where an IDX {} file has 0x{:08x}; {}", magic,
         want_labels ? "label" : "image", want_labels ? kLabelsMagic : kImagesMagic, hint);
}

void read_image_shape(Unpacker& input, std::uint32_t magic, IdxHeader& header) {
  const std::int64_t bytes = header_bytes_of(magic);
  const auto rows = read_number(input, bytes);
  const auto columns = read_number(input, bytes);
  const auto channels = magic == kChannelsMagic ? read_number(input, bytes) : 1;
  if (std::min(rows, columns) == 0 || std::max(rows, columns) > kSideMax) {
    refuse(input.path(),
           "its header announces images of {} x {} pixels, but a side has 1 to {}; {}",
           grouped(rows), grouped(columns), grouped(kSideMax), kFetchAgain);
  }
  if (channels == 0 || channels > kChannelsMax) {
    refuse(input.path(), "its header announces {} channels, but a pixel has 1 to {}; {}",
           grouped(channels), kChannelsMax, kFetchAgain);
  }
  header.rows = static_cast<int>(rows);
  header.columns = static_cast<int>(columns);
  header.channels = static_cast<int>(channels);
}

/// Reads the header; `expected` is the kind that the file should be, if known.
IdxHeader read_header(Unpacker& input, const IdxKind* expected) {
  const bool want_labels = expected != nullptr && *expected == IdxKind::kLabels;
  const auto magic = read_number(input, header_bytes_of(want_labels ? kLabelsMagic : kImagesMagic));
  check_magic(input, magic, expected);
  IdxHeader header;
  header.kind = is_images(magic) ? IdxKind::kImages : IdxKind::kLabels;
  header.examples = read_number(input, header_bytes_of(magic));
  if (header.kind == IdxKind::kImages) {
    read_image_shape(input, magic, header);
  } else {
    header.label_bytes = magic == kWideLabelsMagic ? 2 : 1;
  }
  if (header.examples == 0) {
    refuse(input.path(), "has no examples; {}", kFetchAgain);
  }
  check_length(input, header, header_bytes_of(magic));
  return header;
}

std::vector<std::uint8_t> read_data(Unpacker& input, const IdxHeader& header) {
  const auto size = static_cast<std::size_t>(data_bytes_of(header));
  // A packed file is read in pieces, so that a false length costs no more memory than the data: the
  // rest of the reservation is address space. Growing in steps would hold the data twice.
  constexpr std::size_t kMostReserved = 1'000'000'000;
  const std::size_t piece_bytes = input.packed() ? 4'000'000 : size;
  std::vector<std::uint8_t> data;
  data.reserve(std::min(size, kMostReserved));
  while (data.size() < size) {
    const std::size_t before = data.size();
    const std::size_t piece = std::min(piece_bytes, size - before);
    data.resize(before + piece);
    if (input.read(std::span(data).subspan(before)) < piece) {
      fail_truncated(input, input.position(), header_bytes_of(header) + data_bytes_of(header));
    }
  }
  input.expect_end();
  return data;
}

std::vector<std::uint16_t> read_labels(Unpacker& input, const IdxHeader& header, int classes) {
  const std::vector<std::uint8_t> raw = read_data(input, header);
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(header.examples));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = header.label_bytes == 1
                    ? raw[i]
                    : static_cast<std::uint16_t>(raw[2 * i] << 8 | raw[2 * i + 1]);
    if (labels[i] >= classes) {
      refuse(input.path(), "label {} at record {} (counted from 0) where labels are 0 to {}; {}",
             labels[i], grouped(static_cast<std::int64_t>(i)), classes - 1,
             "the file is damaged, or the data set has more classes than expected");
    }
  }
  return labels;
}

/// Two open files after reading their headers.
struct Opened {
  Opened(std::span<const std::uint8_t> image_file, const std::string& images_path,
         std::span<const std::uint8_t> label_file, const std::string& labels_path)
      : images(image_file, images_path), labels(label_file, labels_path) {
    const auto images_kind = IdxKind::kImages;
    const auto labels_kind = IdxKind::kLabels;
    shape = read_header(images, &images_kind);
    count = read_header(labels, &labels_kind);
    if (shape.examples != count.examples) {
      throw DataError(fmt::format(
          "{}: {} images, but {}: {} labels; the two files must belong together, fetch both again",
          images_path, grouped(shape.examples), labels_path, grouped(count.examples)));
    }
  }

  Unpacker images;
  Unpacker labels;
  IdxHeader shape;
  IdxHeader count;
};

Images read_all(Opened& opened, int classes) {
  Images images;
  images.examples = opened.shape.examples;
  images.rows = opened.shape.rows;
  images.columns = opened.shape.columns;
  images.channels = opened.shape.channels;
  images.classes = classes;
  images.labels = read_labels(opened.labels, opened.count, classes);
  images.pixels = read_data(opened.images, opened.shape);
  return images;
}

/// Images that are read from their file on demand.
class MappedIdx : public ImageSource {
 public:
  MappedIdx(FileBytes file, const IdxHeader& header, std::vector<std::uint16_t> labels, int classes)
      : file_(std::move(file)), header_(header), labels_(std::move(labels)), classes_(classes) {}

  [[nodiscard]] std::int64_t examples() const override { return header_.examples; }
  [[nodiscard]] Shape image() const override {
    return {header_.rows, header_.columns, header_.channels};
  }
  [[nodiscard]] int classes() const override { return classes_; }
  [[nodiscard]] int label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }
  const std::uint8_t* pixels(std::int64_t index,
                             std::vector<std::uint8_t>& /*scratch*/) const override {
    return file_.bytes().data() + header_bytes_of(header_) + index * image().size();
  }
  [[nodiscard]] bool slow() const override { return true; }

 private:
  FileBytes file_;
  IdxHeader header_;
  std::vector<std::uint16_t> labels_;
  int classes_;
};

}  // namespace

IdxHeader read_idx_header(const std::string& path) {
  const FileBytes file(path, kIdxFile);
  Unpacker input(file.bytes(), path);
  return read_header(input, nullptr);
}

Images parse_idx(std::span<const std::uint8_t> images, const std::string& images_path,
                 std::span<const std::uint8_t> labels, const std::string& labels_path,
                 int classes) {
  Opened opened(images, images_path, labels, labels_path);
  return read_all(opened, classes);
}

Images read_idx_dataset(const std::string& images_path, const std::string& labels_path,
                        int classes) {
  const FileBytes images(images_path, kIdxFile);
  const FileBytes labels(labels_path, kIdxFile);
  return parse_idx(images.bytes(), images_path, labels.bytes(), labels_path, classes);
}

std::shared_ptr<const ImageSource> open_idx_dataset(const std::string& images_path,
                                                    const std::string& labels_path, int classes,
                                                    Bytes memory_limit) {
  FileBytes images(images_path, kIdxFile);
  const FileBytes labels(labels_path, kIdxFile);
  Opened opened(images.bytes(), images_path, labels.bytes(), labels_path);
  // A one-channel file with a header of four numbers is read whole: large ones do not occur.
  const bool plain =
      !opened.images.packed() && opened.images.position() == header_bytes_of(opened.shape);
  if (!plain || data_bytes_of(opened.shape) <= memory_limit.value) {
    return make_source(read_all(opened, classes));
  }
  auto read = read_labels(opened.labels, opened.count, classes);
  return std::make_shared<const MappedIdx>(std::move(images), opened.shape, std::move(read),
                                           classes);
}

}  // namespace foretrain
