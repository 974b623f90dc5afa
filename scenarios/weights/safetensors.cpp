// Tensors as the format safetensors has them.
#include "scenarios/weights/bytes.h"
#include "scenarios/weights/tensor_file.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kHeaderAlignment = 8;  // of the numbers, so that readers may map the file
constexpr std::string_view kType = "F32";

Json header_of(std::string_view text) {
  const auto length = number_at<std::uint64_t>(text, 0);
  const std::string_view header = bytes_at(text, kLengthBytes, length);
  try {
    return Json::parse(header);
  } catch (const nlohmann::json::exception&) {
    throw BadValue("its header is no JSON");
  }
}

Tensor tensor_of(const std::string& name, const Json& entry, std::string_view data) {
  if (entry.at("dtype") != kType) {
    throw BadValue(fmt::format("{} is {}; write it as float32", name, entry.at("dtype").dump()));
  }
  Tensor tensor{name, entry.at("shape").get<std::vector<std::int64_t>>(), {}};
  const auto first = entry.at("data_offsets").at(0).get<std::uint64_t>();
  const auto last = entry.at("data_offsets").at(1).get<std::uint64_t>();
  const auto size = static_cast<std::uint64_t>(count_of(tensor.shape)) * sizeof(float);
  if (last < first || last - first != size) {
    throw BadValue(fmt::format("{} has {} bytes, its shape another number", name, last - first));
  }
  tensor.values = floats_of(bytes_at(data, first, size));
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
  append_number(text, static_cast<std::uint64_t>(head.size()));
  text += head;
  for (const TensorView& tensor : tensors) {
    text.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes());
  }
  return text;
}

std::vector<Tensor> parse_safetensors(std::string_view text) {
  const Json header = header_of(text);
  const std::string_view data = text.substr(kLengthBytes + number_at<std::uint64_t>(text, 0));
  if (!header.is_object()) throw BadValue("its header is no JSON object");
  std::vector<Tensor> tensors;
  try {
    for (const auto& [name, entry] : header.items()) {
      if (name != "__metadata__") tensors.push_back(tensor_of(name, entry, data));
    }
  } catch (const nlohmann::json::exception&) {
    throw BadValue("a tensor of its header lacks dtype, shape or data_offsets");
  }
  return tensors;
}

}  // namespace foretrain
