// A record's steps as a timeline for Perfetto.
#pragma once

#include "reports/record/downsampled.h"
#include "reports/record/record.h"

#include <cstddef>
#include <string>

namespace foretrain {

/// Maximum of steps that are drawn as single slices, over all workers. If there are more steps,
/// those between two single slices share one.
inline constexpr std::size_t kMostStepsDrawn = 10'000;

/// Chrome's trace event format (the JSON object form), which ui.perfetto.dev and chrome://tracing
/// open. A node is a process. A worker's thread has a slice for each step, which contains one for
/// each of the six phases, in the order of the record's columns. Phases are exposed times that add
/// up to the step; if phases overlapped, their order is nominal. CPU, memory and traffic of each
/// node are counters. Times are microseconds since all nodes were ready, virtual in a simulation.
///
/// Downsampling: if a worker has many steps, the longest and the shortest of each stretch are
/// drawn, and the steps between them as one slice with the sum of their phases (`thinned`).
///
/// `steps`: the record's steps, iterated twice; memory does not grow with their number.
std::string timeline_json(const Record& record, const Steps& steps);
inline std::string timeline_json(const Record& record) {
  return timeline_json(record, steps_of(record));
}

}  // namespace foretrain
