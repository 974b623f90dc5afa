// The simulator's speed, beside SimGrid's.
#pragma once

#include <string>
#include <vector>

namespace foretrain::bench {

/// Prints events and messages simulated per second, how time grows to 10,000 workers.
///
///     --smoke        one short simulation of each kind
///     --only NAMES   of these groups: engine, server, ring, large
///     --rounds N     rounds of all figures; the median is printed; default 3
///     --peer         SimGrid simulates the same star in alternation; ratios are printed
int simulations(const std::vector<std::string>& arguments);

}  // namespace foretrain::bench
