#include "scenarios/import/weight_arguments.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace foretrain {
namespace {

// The second place is the bias; -1: there is none.
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
  std::string_view name;
  int width;
};

constexpr std::array kTypes{
    Type{"float", 4},     Type{"Float", 4},
    Type{"double", 8},    Type{"Double", 8},
    Type{"c10::Half", 2}, Type{"Half", 2},
    Type{"half", 2},      Type{"c10::BFloat16", 2},
    Type{"BFloat16", 2},  Type{"c10::Float8_e4m3fn", 1},
    Type{"Byte", 1},      Type{"Int", 4},
    Type{"int", 4},       Type{"Long", 8},
    Type{"long int", 8},
};

}  // namespace

std::span<const int> weight_arguments(std::string_view op) {
  const auto* const owner = std::ranges::find(kOwners, op, &Owner::op);
  if (owner == kOwners.end()) return {};
  return std::span(owner->places).first(owner->count);
}

std::optional<int> width_of_type(std::string_view type) {
  const auto* const known = std::ranges::find(kTypes, type, &Type::name);
  if (known == kTypes.end()) return std::nullopt;
  return known->width;
}

}  // namespace foretrain
