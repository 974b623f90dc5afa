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
    "Correct parameter_bytes in layers.csv, or make it with foretrain_profile.py, which reads the "
    "model.";

std::string_view why_it_differs(bool more_are_given) {
  return more_are_given
             ? "a weight that is used several times in a step (tied, or with micro-batches) counts "
               "each time; frozen weights count, too."
             : "some belong to operators that are not known to have parameters, or get gradients "
               "several times in a step.";
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
        "Operators of a step have {} parameters, but its all-reduces carry {}: {} {}", given,
        reduced, why_it_differs(given > reduced), kCorrect);
  }
  if (const int passes = layers.passes(); passes > 1) {
    return fmt::format(
        "A step has {} forward passes: micro-batches or several steps? Then each weight counts {} "
        "times in its {} parameters. {}",
        passes, passes, given, kCorrect);
  }
  const std::int64_t summed = accumulations(trace, step) / folded;
  if (reduced > 0 || summed == 0 || summed == layers.tensors() || is_sharded(trace, work)) {
    return std::nullopt;
  }
  return fmt::format("Operators of a step have {} parameter tensors, but {} get gradients: {} {}",
                     layers.tensors(), summed, why_it_differs(layers.tensors() > summed), kCorrect);
}

}  // namespace foretrain
