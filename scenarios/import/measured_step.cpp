#include "scenarios/import/measured_step.h"

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace foretrain {
namespace {

constexpr double kError = 1e-3;  // relative to the step
constexpr int kMostTrials = 40;
constexpr double kLeastCut =
    0.05;  // of the range, from either end: else one end could stay for ever

}  // namespace

ImportedJob even_job(std::int64_t parameters, double gradient_s) {
  constexpr double kForward = 1.0 / 3;  // a backward pass has two products where this has one
  const std::int64_t layers = std::min<std::int64_t>(kEvenLayers, parameters);
  ImportedJob job;
  job.parameters = parameters;
  job.layers.reserve(static_cast<std::size_t>(layers));
  const double of_layer_s = gradient_s / static_cast<double>(layers);
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::int64_t count = parameters * (i + 1) / layers - parameters * i / layers;
    job.layers.push_back({fmt::format("layer{}", i), Bytes{4 * count}, kForward * of_layer_s,
                          (1 - kForward) * of_layer_s});
  }
  job.forward_s = kForward * gradient_s;
  job.backward_s = gradient_s - job.forward_s;
  return job;
}

FoundGradient gradient_behind(double step_s, const std::function<double(double)>& step_of) {
  const auto is_right = [&](double found_s) {
    return std::abs(found_s - step_s) <= kError * step_s;
  };
  const double alone_s = step_of(0);
  if (alone_s > (1 + kError) * step_s) {
    throw BadValue(
        fmt::format("{:.4g} s, but messages and other overhead of the described cluster alone take "
                    "{:.4g} s; check the network, the strategy and the step time",
                    step_s, alone_s));
  }
  double low = 0;  // gradient with too short a step
  double low_s = alone_s;
  double high = step_s;  // gradient with a long enough step
  double high_s = step_of(high);
  for (int trial = 0; trial < kMostTrials && !is_right(high_s); ++trial) {
    // The gradient at which the line between both ends reaches the step.
    const double share = std::clamp((step_s - low_s) / (high_s - low_s), kLeastCut, 1 - kLeastCut);
    const double between = low + share * (high - low);
    const double between_s = step_of(between);
    const bool enough = between_s >= step_s || is_right(between_s);
    (enough ? high : low) = between;
    (enough ? high_s : low_s) = between_s;
  }
  return {high, high_s, alone_s};
}

}  // namespace foretrain
