// The events of one worker, of a trace that may hold several.
#pragma once

#include "scenarios/import/chrome_trace.h"

namespace foretrain {

/// Which worker is asked for; -1: not said.
struct TraceChoice {
  int rank = -1;
  int device = -1;
};

/// Keeps the events of one process that launches kernels, its kernels on one device. Left to
/// itself it takes a process with steps, of these the one of the least rank that a name says, else
/// the first; the device that works longest. Kernels are those of the launch with their
/// `correlation`; where several processes have it, as in traces that were merged, of the one that
/// most kernels of the same `pid` follow in the file. Then it leaves out what lies an hour or more
/// from the rest, and kernels whose time is 0: their time stamp was lost. What was left out is told
/// in `trace.notes`.
/// @throws InputError: no such rank, no such device; ranks that share one process id
void keep_one_worker(ChromeTrace& trace, const TraceChoice& choice);

}  // namespace foretrain
