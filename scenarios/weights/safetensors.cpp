// Reads, writes the format safetensors.
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"
#include "scenarios/weights/tensor_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kHeaderAlignment = 8;  // of the numbers, so that readers can map the file
constexpr std::string_view kType = "F32";
constexpr std::uint64_t kMostLength = std::numeric_limits<std::int64_t>::max();

static_assert(std::endian::native == std::endian::little);

/// `count` bytes from `first`. @throws BadValue if the file is shorter
std::string_view bytes_at(std::string_view text, std::uint64_t first, std::uint64_t count) {
  if (first > text.size() || count > text.size() - first) {
    throw BadValue(
        fmt::format("it is truncated: {} bytes at byte {} are needed, but it has {} bytes", count,
                    first, text.size()));
  }
  return text.substr(first, count);
}

/// The length of the header, from the first bytes of the file.
std::uint64_t header_length(std::string_view text) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes_at(text, 0, sizeof length).data(), sizeof length);
  return length;
}

std::vector<float> floats_of(std::string_view bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

Json header_of(std::string_view text) {
  const std::string_view header = bytes_at(text, kLengthBytes, header_length(text));
  if (nested_too_deep(header)) throw BadValue("its header is nested too deep");
  try {
    return Json::parse(header);
  } catch (const nlohmann::json::exception&) {
    throw BadValue("its header is no JSON");
  }
}

/// The value of `key` in a tensor's header. @throws BadValue if it is missing
const Json& said_of(const std::string& name, const Json& entry, const char* key) {
  if (entry.is_object() && entry.contains(key)) return entry.at(key);
  throw BadValue(fmt::format("{}: its header has no `{}`", name, key));
}

/// A list of whole numbers. @throws BadValue for other values: JSON would convert them silently
std::vector<std::uint64_t> whole_numbers(const std::string& name, const Json& entry,
                                         const char* key) {
  const Json& list = said_of(name, entry, key);
  const auto is_whole = [](const Json& number) { return number.is_number_unsigned(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_whole)) {
    throw BadValue(fmt::format("{}: `{}` in its header is no list of whole numbers", name, key));
  }
  return list.get<std::vector<std::uint64_t>>();
}

/// The range of a tensor's numbers in the file.
struct Place {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // past the end
  std::string name;

  auto operator<=>(const Place&) const = default;
};

/// @throws BadValue
Place place_of(const std::string& name, const Json& entry) {
  const std::vector<std::uint64_t> ends = whole_numbers(name, entry, "data_offsets");
  if (ends.size() == 2) return {ends[0], ends[1], name};
  throw BadValue(fmt::format("{}: `data_offsets` in its header are not two numbers", name));
}

/// Checks that tensors follow each other without gap or overlap, as the format requires. Overlaps
/// could make a small file fill a large memory.
void check_places(const Json& header) {
  std::vector<Place> places;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") places.push_back(place_of(name, entry));
  }
  std::ranges::sort(places);
  std::uint64_t end = 0;
  const char* before = "the header";
  for (const Place& place : places) {
    if (place.first != end) {
      throw BadValue(fmt::format("{} begins at {}, which is not where {} ends", place.name,
                                 place.first, before));
    }
    end = place.last;
    before = place.name.c_str();
  }
}

Tensor tensor_of(const std::string& name, const Json& entry, std::string_view data) {
  const Json& type = said_of(name, entry, "dtype");
  if (type != kType) {
    throw BadValue(fmt::format("{} is {}; write it as float32", name,
                               type.is_string() ? type.get<std::string>() : "of an unknown type"));
  }
  Tensor tensor{name, {}, {}};
  for (const std::uint64_t length : whole_numbers(name, entry, "shape")) {
    if (length > kMostLength) throw BadValue(fmt::format("{}: a shape is too large", name));
    tensor.shape.push_back(static_cast<std::int64_t>(length));
  }
  const Place place = place_of(name, entry);
  const std::uint64_t bytes = place.last - place.first;
  const auto size = static_cast<std::uint64_t>(count_of(tensor.shape)) * sizeof(float);
  if (place.last < place.first || bytes != size) {
    throw BadValue(fmt::format("{} has {} bytes, which do not fit its shape", name, bytes));
  }
  tensor.values = floats_of(bytes_at(data, place.first, size));
  return tensor;
}

}  // namespace

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMost / size)) throw BadValue("a shape is too large");
    count *= size;
  }
  return count;
}

std::string to_safetensors(std::span<const TensorView> tensors) {
  Json header = Json::object();
  header["__metadata__"] = {{"written_by", "foretrain"}};
  std::uint64_t first = 0;
  for (const TensorView& tensor : tensors) {
    const std::uint64_t last = first + tensor.values.size_bytes();
    header[tensor.name] = {
        {"dtype", kType}, {"shape", tensor.shape}, {"data_offsets", {first, last}}};
    first = last;
  }
  std::string head = header.dump();
  head.resize((head.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  std::string text;
  text.reserve(kLengthBytes + head.size() + first);
  const std::uint64_t length = head.size();
  text.append(reinterpret_cast<const char*>(&length), sizeof length);
  text += head;
  for (const TensorView& tensor : tensors) {
    text.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes());
  }
  return text;
}

std::vector<Tensor> parse_safetensors(std::string_view text) {
  const Json header = header_of(text);
  const std::string_view data = text.substr(kLengthBytes + header_length(text));
  if (!header.is_object()) throw BadValue("its header is no JSON object");
  check_places(header);
  std::vector<Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") tensors.push_back(tensor_of(name, entry, data));
  }
  return tensors;
}

}  // namespace foretrain
