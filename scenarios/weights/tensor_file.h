// Tensors in a file of another program, to its text or from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// To be written. float32, row after row.
struct TensorView {
  std::string name;
  std::vector<std::int64_t> shape;
  std::span<const float> values;
};

/// That was read.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Numbers that a shape holds. @throws BadValue: more than there can be, or fewer than none
std::int64_t count_of(const std::vector<std::int64_t>& shape);

/// Safetensors, as Hugging Face's library describes its format: eight bytes with the length of a
/// header, the header, which is JSON (each tensor's type, shape, place), then the numbers.
std::string to_safetensors(std::span<const TensorView> tensors);
/// @throws BadValue: it is damaged, or has other numbers than float32
std::vector<Tensor> parse_safetensors(std::string_view text);

}  // namespace foretrain
