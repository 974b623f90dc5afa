// The events of one worker, of a trace that may hold several.
#pragma once

#include "scenarios/import/chrome_trace.h"

namespace foretrain {

/// Which worker is asked for; -1: not said.
struct TraceChoice {
  int rank = -1;
  int device = -1;
};

/// Keeps the events of one process that launches kernels, and its kernels on one device. If
/// `choice` says nothing, that is a process with steps: the one with the least rank in its name,
/// else the first; and the device that works longest.
/// A kernel is of the process whose launch has its `correlation`. In merged traces several
/// processes have it; then the kernel is of the process that most kernels of its `pid` belong to.
/// Events an hour or more from the others are left out, and kernels at time 0 or
/// before it, whose time stamp was lost. `trace.notes` says what was left out.
/// @throws InputError: no such rank, no such device; ranks that share one process id
void keep_one_worker(ChromeTrace& trace, const TraceChoice& choice);

}  // namespace foretrain
