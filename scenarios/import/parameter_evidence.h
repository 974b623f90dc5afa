// What else than the operators' shapes says how many parameters a training has.
#pragma once

#include "scenarios/import/chrome_trace.h"
#include "scenarios/import/trace_layers.h"
#include "scenarios/import/trace_steps.h"
#include "scenarios/import/trace_work.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A shape says how large a weight is, not which it is: one that is used twice looks like two, one
/// that is frozen like one that is learned. Of a step this compares `layers` with the numbers that
/// all-reduces carry; with the passes it has, as micro-batches have several; without all-reduces
/// with the tensors whose gradients are accumulated.
/// @return both figures with what to do where they differ; empty: they do not, or nothing else says
/// it (also where `layers` are what is reduced, by_shapes())
std::optional<std::string> doubt_about_parameters(const ChromeTrace& trace,
                                                  const std::vector<DeviceWork>& work,
                                                  const TraceSpan& step, const TraceLayers& layers);

}  // namespace foretrain
