// Fuzzes the reader of weights.
#include "models/base/check.h"
#include "scenarios/language/input_error.h"
#include "scenarios/weights/tensor_file.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

bool same(const Tensor& a, const Tensor& b) {
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  return a.name == b.name && a.shape == b.shape &&
         std::ranges::equal(a.values, b.values, {}, bits, bits);
}

}  // namespace

/// The result is written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  std::vector<Tensor> tensors;
  try {
    tensors = parse_safetensors(text);
  } catch (const BadValue&) {  // the caller that opened the file adds its name
    return 0;
  }
  std::vector<TensorView> views;
  std::size_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    FT_CHECK_OP(static_cast<std::size_t>(count_of(tensor.shape)), ==, tensor.values.size());
    views.push_back({tensor.name, tensor.shape, tensor.values});
    bytes += tensor.values.size() * sizeof(float);
  }
  FT_CHECK_OP(bytes, <=, text.size());
  FT_CHECK(std::ranges::equal(tensors, parse_safetensors(to_safetensors(views)), same));
  return 0;
}
