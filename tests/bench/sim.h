// The simulator's speed, compared with SimGrid's.
#pragma once

#include "tests/bench/common/bench_report.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// Measures simulated events and messages per second, the growth of time up to 10,000 workers, the
/// cost of real gradients, a sweep, the first answer.
///
///     --smoke        one short simulation of each kind
///     --only NAMES   of these groups: engine, server, ring, large, numerics, sweep, first, huge;
///                    huge (100,000 workers) runs only if it is named
///     --rounds N     rounds of all figures; the median is the figure; default 3
///     --peer         SimGrid simulates the same star in alternation; ratios are printed
void simulations(const std::vector<std::string>& arguments, Report& report);

}  // namespace foretrain::bench
