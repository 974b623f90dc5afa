// A record's steps as a timeline for Perfetto.
#pragma once

#include "reports/record/record.h"
#include "reports/record/shown.h"

#include <cstddef>
#include <string>

namespace foretrain {

/// At most so many steps are drawn one by one, over all workers; of more, those in between are one
/// slice for several.
inline constexpr std::size_t kMostStepsDrawn = 10'000;

/// Chrome's trace event format (the JSON object form), which ui.perfetto.dev and chrome://tracing
/// open. A node is a process; a worker's thread has a slice a step, and in it one for each of the
/// six phases, in the order of the record's columns: exposed time, which adds up, so where phases
/// overlapped their order is nominal. CPU, memory and traffic of every node are counters. Times are
/// microseconds since every node was ready, virtual in a simulation.
///
/// Thin: of a worker with many steps the longest and shortest of each stretch are drawn, and the
/// steps between two of them as one slice with the sums of their phases (`thinned`).
///
/// `steps`: those of the record, looked at twice; what is in memory of them at once does not grow
/// with their number.
std::string timeline_json(const Record& record, const Steps& steps);
inline std::string timeline_json(const Record& record) {
  return timeline_json(record, steps_of(record));
}

}  // namespace foretrain
