// Tensors in the file format safetensors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A tensor to write: float32, row after row.
struct TensorView {
  std::string name;
  std::vector<std::int64_t> shape;
  std::span<const float> values;
};

/// A tensor that was read.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// The number of elements of a shape. @throws BadValue if a size is negative or the product too
/// large
std::int64_t count_of(const std::vector<std::int64_t>& shape);

/// Writes safetensors, as Hugging Face's library describes the format: eight bytes with the length
/// of the header, the header in JSON (type, shape, offsets of each tensor), then the numbers.
std::string to_safetensors(std::span<const TensorView> tensors);
/// @throws BadValue if the file is damaged or has a type other than float32
std::vector<Tensor> parse_safetensors(std::string_view text);

}  // namespace foretrain
