// A training given by its number of parameters, its measured step time.
#pragma once

#include "scenarios/import/imported_job.h"

#include <cstdint>
#include <functional>

namespace foretrain {

/// Number of equal layers, or the number of parameters if that is smaller. Buckets are sent while
/// others are computed, as in a real network, whose layers differ.
inline constexpr int kEvenLayers = 16;

/// A job with this gradient time: a third of each layer is forward, the rest backward.
ImportedJob even_job(std::int64_t parameters, double gradient_s);

/// The result of gradient_behind.
struct FoundGradient {
  double gradient_s = 0;
  double step_s = 0;   ///< the step with that gradient
  double alone_s = 0;  ///< a step without compute: messages and other overhead
};

/// Finds the gradient with which a step takes `step_s`, to a thousandth. `step_of`: the step time
/// for a gradient time; it has to be monotonic and at least the gradient time.
/// @throws BadValue if a step takes longer even without compute
FoundGradient gradient_behind(double step_s, const std::function<double(double)>& step_of);

}  // namespace foretrain
