// What a run takes whose hundreds of nodes have more strangers at their doors.
#pragma once

#include "tests/bench/common/report.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// Trains a tiny model by `async` with many workers on this machine, once alone, once while idle
/// and slow strangers hold the ports of the launcher, the server, the metrics: gradients a second,
/// who was turned away, what memory and descriptors both processes have when the training begins
/// and when it is ended. Then a record of very many steps is written, read, reported: seconds and
/// bytes of each.
///
///     --smoke       few, for a moment
///     --seconds N   of each training; default 60
///     --workers N   default 200
///
/// @throws std::runtime_error where memory or descriptors have grown beyond their bounds, or a
/// training stood still, or did not end as it was told to
void load(const std::vector<std::string>& arguments, Report& report);

}  // namespace foretrain::bench
