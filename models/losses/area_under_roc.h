// How well scores put the examples of one class before those of the other.
#pragma once

#include <cstdint>
#include <span>

namespace foretrain {

/// The area under the receiver operating characteristic: the probability that an example of label 1
/// scores above one of label 0, equals counted half (Mann & Whitney 1947: U / (n1 n0), from ranks).
/// NaN where a class is missing, or a score is NaN. `labels`: as scores, each 0 or 1.
double area_under_roc(std::span<const float> scores, std::span<const std::int32_t> labels);

}  // namespace foretrain
