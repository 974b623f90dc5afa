// A training of which people know the parameters, how long a step took somewhere.
#pragma once

#include "scenarios/import/imported_job.h"

#include <cstdint>
#include <functional>

namespace foretrain {

/// So many layers alike, or as many as there are parameters: buckets leave while others are
/// computed, as they do of a real network, whose layers differ.
inline constexpr int kEvenLayers = 16;

/// A job whose gradient takes so long: a third of each layer forward, the rest backward.
ImportedJob even_job(std::int64_t parameters, double gradient_s);

/// What was found.
struct FoundGradient {
  double gradient_s = 0;
  double step_s = 0;   ///< with it
  double alone_s = 0;  ///< a step in which nothing is computed: messages, what else there is
};

/// The gradient with which a step takes `step_s`, to a thousandth. `step_of`: a step by what its
/// gradient takes; it does not fall, and is no less than its gradient.
/// @throws BadValue where a step takes longer though nothing is computed
FoundGradient gradient_behind(double step_s, const std::function<double(double)>& step_of);

}  // namespace foretrain
