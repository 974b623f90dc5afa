// The utilisation of an emulated network by real runs.
#pragma once

#include "tests/bench/common/bench_report.h"

namespace foretrain::bench {

/// Synchronous training of `lenet_large` with one server and 2 or 3 workers, each on its own host
/// around a switch, at 100 Mbit/s and 1 Gbit/s. Reports the utilisation of the server's port, in
/// its busier direction, over each tenth of a second in which a step only communicates. Reports it
/// if this machine cannot emulate clusters. `smoke`: one short run.
void link_use(bool smoke, Report& report);

}  // namespace foretrain::bench
