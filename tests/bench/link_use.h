// How well real runs use an emulated network.
#pragma once

#include "tests/bench/common/report.h"

namespace foretrain::bench {

/// Synchronous training of `lenet_large` with one server, hosts of their own around a switch at
/// 100 Mbit/s and 1 Gbit/s, 2 and 3 workers: the use of the server's port, the busier direction of
/// each tenth of a second in which a step did nothing but communicate. Says so where this machine
/// emulates no clusters. `smoke`: one short run.
void link_use(bool smoke, Report& report);

}  // namespace foretrain::bench
