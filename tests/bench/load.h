// The load of a run with hundreds of nodes, with even more strangers at its ports.
#pragma once

#include "tests/bench/common/bench_report.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// Trains a tiny model by `async` with many workers on this machine, once alone, once while idle
/// and slow strangers connect to the ports of the launcher, the server and the metrics. Reports
/// gradients a second, rejected connections, memory and descriptors of both processes at the begin
/// and end of the training. Then writes, reads and reports a record of very many steps: seconds and
/// bytes of each.
///
///     --smoke       few, for a moment
///     --seconds N   of each training; default 60
///     --workers N   default 200
///
/// @throws std::runtime_error if memory or descriptors grow beyond their bounds, if a training
/// stands still, or if it does not end when asked to
void load(const std::vector<std::string>& arguments, Report& report);

}  // namespace foretrain::bench
