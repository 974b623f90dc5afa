// Evidence on the number of parameters beside the operators' shapes.
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

// The number of gradient accumulations of tensors: one per tensor in each backward pass.
std::int64_t accumulations(const ChromeTrace& trace, const TraceSpan& step) {
  return std::ranges::count_if(trace.events, [&](const TraceEvent& event) {
    return event.kind == TraceKind::op && step.has(event.start_us) &&
           trace.name_of(event) == "torch::autograd::AccumulateGrad";
  });
}

// Whether parameters are sharded, in which case each shard has its own gradient.
bool is_sharded(const ChromeTrace& trace, const std::vector<DeviceWork>& work) {
  return std::ranges::any_of(work, [&](const DeviceWork& each) {
    return each.collective != OperatorTree::kNone &&
           trace.events[each.collective].collective == TraceCollective::reduce_scatter;
  });
}

}  // namespace

std::optional<std::string> doubt_about_parameters(const ChromeTrace& trace,
                                                  const std::vector<DeviceWork>& work,
                                                  const TraceSpan& step, const TraceLayers& layers,
                                                  int folded) {
  if (!layers.by_shapes()) return std::nullopt;
  // Averaging the loss adds a number or two.
  constexpr double kAlike = 1e-3;
  const std::int64_t given = layers.parameters();
  std::int64_t reduced = 0;
  for (const Reduced& each : reduced_by(trace, work)) reduced += each.numbers;
  const auto differs = [&](std::int64_t carried) {
    return std::abs(static_cast<double>(given - carried)) > kAlike * static_cast<double>(carried);
  };
  // Micro-batches may be reduced one by one.
  if (reduced > 0 && differs(reduced) && differs(reduced / folded)) {
    return fmt::format(
        "Operators of a step are given {} parameters, its all-reduces carry {}: {} {}", given,
        reduced, why_it_differs(given > reduced), kCorrect);
  }
  if (const int passes = layers.passes(); passes > 1) {
    return fmt::format(
        "{} forward passes are in a step: are they micro-batches, or several steps? Then each "
        "weight "
        "counts {} times among its {} parameters. {}",
        passes, passes, given, kCorrect);
  }
  const std::int64_t summed = accumulations(trace, step) / folded;
  if (reduced > 0 || summed == 0 || summed == layers.tensors() || is_sharded(trace, work)) {
    return std::nullopt;
  }
  return fmt::format(
      "Operators of a step are given {} tensors of parameters, but {} get gradients: {} {}",
      layers.tensors(), summed, why_it_differs(layers.tensors() > summed), kCorrect);
}

}  // namespace foretrain
