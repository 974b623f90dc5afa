// The arguments of PyTorch's operators that are parameters.
#include "scenarios/import/trace_layers.h"
#include "scenarios/import/trace_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace foretrain {
namespace {

// The second position is the bias; -1 if there is none.
struct Owner {
  std::string_view op;
  std::array<int, 2> places;
  std::size_t count;
};

constexpr std::array kOwners{
    Owner{"aten::conv1d", {1, 2}, 2},
    Owner{"aten::conv2d", {1, 2}, 2},
    Owner{"aten::conv3d", {1, 2}, 2},
    Owner{"aten::conv_transpose1d", {1, 2}, 2},
    Owner{"aten::conv_transpose2d", {1, 2}, 2},
    Owner{"aten::conv_transpose3d", {1, 2}, 2},
    Owner{"aten::convolution", {1, 2}, 2},
    Owner{"aten::linear", {1, 2}, 2},
    Owner{"aten::addmm", {0, 2}, 2},
    Owner{"aten::batch_norm", {1, 2}, 2},
    Owner{"aten::group_norm", {2, 3}, 2},
    Owner{"aten::layer_norm", {2, 3}, 2},
    Owner{"aten::rms_norm", {2, -1}, 1},
    Owner{"aten::embedding", {0, -1}, 1},
    Owner{"aten::embedding_bag", {0, -1}, 1},
    Owner{"aten::prelu", {1, -1}, 1},
    Owner{"aten::bilinear", {2, 3}, 2},
};

struct Type {
  std::string_view part;
  int width;
};

// The first type whose name is contained in the given one counts.
constexpr std::array kTypes{
    Type{"complex", 8}, Type{"bfloat16", 2}, Type{"float16", 2}, Type{"half", 2}, Type{"float8", 1},
    Type{"double", 8},  Type{"float64", 8},  Type{"float", 4},   Type{"long", 8}, Type{"int64", 8},
    Type{"int8", 1},    Type{"int16", 2},    Type{"short", 2},   Type{"int", 4},  Type{"char", 1},
    Type{"byte", 1},    Type{"bool", 1},
};

}  // namespace

std::span<const int> weight_arguments(std::string_view op) {
  const auto* const owner = std::ranges::find(kOwners, op, &Owner::op);
  if (owner == kOwners.end()) return {};
  return std::span(owner->places).first(owner->count);
}

std::optional<int> width_of_type(std::string_view type) {
  const std::string name = plain(type);
  for (const Type& known : kTypes) {
    if (name.find(known.part) != std::string::npos) return known.width;
  }
  return std::nullopt;
}

}  // namespace foretrain
