// What else than the operators' shapes says how many parameters a training has.
#include "scenarios/import/torch_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace foretrain {
namespace {

constexpr std::string_view kCorrect =
    "Correct parameter_bytes in layers.csv, or write it by foretrain_profile.py, which asks the "
    "model.";

std::string_view why_it_differs(bool more_are_given) {
  return more_are_given
             ? "a weight that is used several times in a step (tied, or by micro-batches) counts "
               "each time, one that is frozen, too."
             : "some are given to no operator that is known to own parameters, or get "
               "gradients several times in a step.";
}

// When the gradient of a tensor is added to what the tensor has: once in each backward pass.
std::vector<double> accumulations(const ChromeTrace& trace, const TraceSpan& step) {
  std::vector<double> times_us;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::op && step.has(event.start_us) &&
        trace.name_of(event) == "torch::autograd::AccumulateGrad") {
      times_us.push_back(event.start_us);
    }
  }
  std::ranges::sort(times_us);
  return times_us;
}

// Forward passes: another one begins where a layer follows gradients. `begins`: in order.
int passes(const std::vector<double>& begins_us, const std::vector<double>& accumulated_us) {
  int count = 1;
  for (std::size_t i = 1; i < begins_us.size(); ++i) {
    const auto after = std::ranges::upper_bound(accumulated_us, begins_us[i - 1]);
    if (after != accumulated_us.end() && *after < begins_us[i]) ++count;
  }
  return count;
}

// Parameters come in parts, which have gradients of their own.
bool is_sharded(const ChromeTrace& trace, const std::vector<DeviceWork>& work) {
  return std::ranges::any_of(work, [&](const DeviceWork& each) {
    return each.collective != OperatorTree::kNone &&
           trace.events[each.collective].collective == TraceCollective::reduce_scatter;
  });
}

}  // namespace

std::optional<std::string> doubt_about_parameters(const ChromeTrace& trace,
                                                  const std::vector<DeviceWork>& work,
                                                  const TraceSpan& step,
                                                  const TraceLayers& layers) {
  if (!layers.by_shapes()) return std::nullopt;
  // A loss that is averaged adds a number or two.
  constexpr double kAlike = 1e-3;
  const std::int64_t given = layers.parameters();
  std::int64_t reduced = 0;
  for (const Reduced& each : reduced_by(trace, work)) reduced += each.numbers;
  if (reduced > 0 &&
      std::abs(static_cast<double>(given - reduced)) > kAlike * static_cast<double>(reduced)) {
    return fmt::format(
        "Operators of a step are given {} parameters, its all-reduces carry {}: {} {}", given,
        reduced, why_it_differs(given > reduced), kCorrect);
  }
  const std::vector<double> accumulated_us = accumulations(trace, step);
  const int forward = passes(layers.begins_us(), accumulated_us);
  if (forward > 1) {
    return fmt::format(
        "{} forward passes are in a step: if they are micro-batches, each weight counts {} times "
        "among its {} parameters. {}",
        forward, forward, given, kCorrect);
  }
  const auto summed = static_cast<std::int64_t>(accumulated_us.size());
  if (reduced > 0 || summed == 0 || summed == layers.tensors() || is_sharded(trace, work)) {
    return std::nullopt;
  }
  return fmt::format(
      "Operators of a step are given {} tensors of parameters, but {} get gradients: {} {}",
      layers.tensors(), summed, why_it_differs(layers.tensors() > summed), kCorrect);
}

}  // namespace foretrain
