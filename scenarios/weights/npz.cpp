// Tensors as NumPy's archives have them.
#include "scenarios/weights/bytes.h"
#include "scenarios/weights/tensor_file.h"

#include <fmt/format.h>

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace foretrain {
namespace {

// Records of a ZIP archive, by the number that each begins with.
constexpr std::uint32_t kLocalFile = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint64_t kLocalSize = 30;
constexpr std::uint64_t kEntrySize = 46;
constexpr std::uint64_t kEndSize = 22;
constexpr std::uint16_t kVersion = 20;         // that a reader has to know: 2.0
constexpr std::uint16_t kDate = (1 << 5) | 1;  // 1980-01-01: equal weights make equal files
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // of the numbers of a .npy file

std::string npy(const TensorView& tensor) {
  std::string shape;
  for (const std::int64_t size : tensor.shape) shape += fmt::format("{}, ", size);
  std::string head =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", shape);
  const std::size_t before = kMagic.size() + 4;
  const std::size_t whole = (before + head.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  head.resize(whole - before - 1, ' ');
  head += '\n';
  std::string text(kMagic);
  text += '\1';
  text += '\0';
  append_number(text, static_cast<std::uint16_t>(head.size()));
  text += head;
  text.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes());
  return text;
}

// What a file's local record and its directory entry have in common.
struct Member {
  std::string name;
  std::uint32_t crc = 0;
  std::uint32_t size = 0;

  void append_to(std::string& text) const {
    append_number(text, kVersion);
    append_number(text, std::uint16_t{0});  // flags
    append_number(text, std::uint16_t{0});  // stored
    append_number(text, std::uint16_t{0});  // time
    append_number(text, kDate);
    append_number(text, crc);
    append_number(text, size);  // stored, it is as large as
    append_number(text, size);  // before
    append_number(text, static_cast<std::uint16_t>(name.size()));
    append_number(text, std::uint16_t{0});  // extra field
  }
};

/// The value behind `'key':` in a .npy header, up to what ends it.
std::string_view value_of(std::string_view head, std::string_view key, char end) {
  const std::size_t place = head.find(key);
  if (place == std::string_view::npos) throw BadValue("a .npy header lacks a key");
  const std::size_t from = head.find(':', place + key.size());
  const std::size_t to = head.find(end, from == std::string_view::npos ? head.size() : from);
  if (to == std::string_view::npos) throw BadValue("a .npy header is damaged");
  return head.substr(from + 1, to - from - 1);
}

std::vector<std::int64_t> shape_in(std::string_view head) {
  std::string_view list = value_of(head, "'shape'", ')');
  std::vector<std::int64_t> shape;
  while (true) {
    const std::size_t digit = list.find_first_of("0123456789");
    if (digit == std::string_view::npos) return shape;
    list.remove_prefix(digit);
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), size);
    if (error != std::errc{}) throw BadValue("a shape is too large");
    shape.push_back(size);
    list.remove_prefix(static_cast<std::size_t>(end - list.data()));
  }
}

Tensor parse_npy(const std::string& name, std::string_view text) {
  if (!text.starts_with(kMagic)) throw BadValue(fmt::format("{} is no .npy file", name));
  const bool first_version = number_at<std::uint8_t>(text, kMagic.size()) == 1;
  const std::uint64_t at = kMagic.size() + 2;
  const std::uint64_t length =
      first_version ? number_at<std::uint16_t>(text, at) : number_at<std::uint32_t>(text, at);
  const std::uint64_t begin = at + (first_version ? 2 : 4);
  const std::string_view head = bytes_at(text, begin, length);
  if (value_of(head, "'descr'", ',').find("'<f4'") == std::string_view::npos) {
    throw BadValue(fmt::format("{} is not float32; write it as that", name));
  }
  if (value_of(head, "'fortran_order'", ',').find("False") == std::string_view::npos) {
    throw BadValue(fmt::format("{} is in Fortran's order; write it in C's", name));
  }
  Tensor tensor{name, shape_in(head), {}};
  const auto size = static_cast<std::uint64_t>(count_of(tensor.shape)) * sizeof(float);
  tensor.values = floats_of(bytes_at(text, begin + length, size));
  return tensor;
}

/// A file as its archive has it.
struct Stored {
  std::string name;
  std::string_view file;
  std::uint32_t crc = 0;
};

/// Files that share bytes would make a large memory of a small archive.
void check_apart(const std::vector<Stored>& files) {
  std::vector<std::string_view> parts;
  parts.reserve(files.size());
  for (const Stored& each : files) parts.push_back(each.file);
  std::ranges::sort(parts, {}, [](std::string_view part) { return part.data(); });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i - 1].data() + parts[i - 1].size() > parts[i].data()) {
      throw BadValue("it is damaged: two of its files share bytes");
    }
  }
}

std::vector<Stored> files_in(std::string_view text) {
  // Without a comment behind it the end has its place.
  if (text.size() < kEndSize ||
      number_at<std::uint32_t>(text, text.size() - kEndSize) != kDirectoryEnd) {
    throw BadValue("it is no .npz file, or cut short");
  }
  const std::uint64_t end = text.size() - kEndSize;
  const auto count = number_at<std::uint16_t>(text, end + 10);
  std::uint64_t at = number_at<std::uint32_t>(text, end + 16);
  std::vector<Stored> files;
  for (int i = 0; i < count; ++i) {
    if (number_at<std::uint32_t>(text, at) != kDirectoryEntry) throw BadValue("it is damaged");
    const auto method = number_at<std::uint16_t>(text, at + 10);
    const auto size = number_at<std::uint32_t>(text, at + 20);
    const auto name_size = number_at<std::uint16_t>(text, at + 28);
    const auto local = number_at<std::uint32_t>(text, at + 42);
    std::string name(bytes_at(text, at + kEntrySize, name_size));
    if (method != 0) {
      throw BadValue(fmt::format("{} is compressed; write it by numpy.savez", name));
    }
    const std::uint64_t begin = local + kLocalSize + number_at<std::uint16_t>(text, local + 26) +
                                number_at<std::uint16_t>(text, local + 28);
    files.push_back(
        {std::move(name), bytes_at(text, begin, size), number_at<std::uint32_t>(text, at + 16)});
    at += kEntrySize + name_size + number_at<std::uint16_t>(text, at + 30) +
          number_at<std::uint16_t>(text, at + 32);
  }
  check_apart(files);
  return files;
}

}  // namespace

std::string to_npz(std::span<const TensorView> tensors) {
  std::string text;
  std::string directory;
  for (const TensorView& tensor : tensors) {
    const std::string file = npy(tensor);
    const std::uint64_t place = text.size();
    if (place + file.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
      throw BadValue("a .npz file holds 2 GB at most here; write .safetensors");
    }
    const auto* bytes = reinterpret_cast<const Bytef*>(file.data());
    const Member member{tensor.name + ".npy",
                        static_cast<std::uint32_t>(crc32_z(0, bytes, file.size())),
                        static_cast<std::uint32_t>(file.size())};
    append_number(text, kLocalFile);
    member.append_to(text);
    text += member.name;
    text += file;
    append_number(directory, kDirectoryEntry);
    append_number(directory, kVersion);  // of who made it
    member.append_to(directory);
    directory.append(10, '\0');  // comment, disk, attributes
    append_number(directory, static_cast<std::uint32_t>(place));
    directory += member.name;
  }
  const std::uint64_t place = text.size();
  text += directory;
  append_number(text, kDirectoryEnd);
  append_number(text, std::uint32_t{0});  // disks
  append_number(text, static_cast<std::uint16_t>(tensors.size()));
  append_number(text, static_cast<std::uint16_t>(tensors.size()));
  append_number(text, static_cast<std::uint32_t>(directory.size()));
  append_number(text, static_cast<std::uint32_t>(place));
  append_number(text, std::uint16_t{0});  // comment
  return text;
}

std::vector<Tensor> parse_npz(std::string_view text) {
  std::vector<Tensor> tensors;
  for (const Stored& each : files_in(text)) {
    const auto* bytes = reinterpret_cast<const Bytef*>(each.file.data());
    if (crc32_z(0, bytes, each.file.size()) != each.crc) {
      throw BadValue(fmt::format("{} is damaged", each.name));
    }
    std::string name = each.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    tensors.push_back(parse_npy(name, each.file));
  }
  return tensors;
}

}  // namespace foretrain
