// Which arguments of PyTorch's operators are parameters.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace foretrain {

/// Places, from 0, among the arguments of a forward operator that owns parameters; empty: it owns
/// none, or nobody can say which. As of the operators' schemas (native_functions.yaml of PyTorch).
/// An operator within another that owns some has the same ones again.
std::span<const int> weight_arguments(std::string_view op);

/// What a number of this type takes, as traces name types: `float`, `c10::Half`, `BFloat16`.
/// Empty: no number.
std::optional<int> width_of_type(std::string_view type);

}  // namespace foretrain
