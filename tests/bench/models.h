// Times of training steps, compared with those of a peer.
#pragma once

#include "tests/bench/common/bench_report.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// Reports the time of a whole training step (gather, forward, backward, apply) of each network.
///
///     --smoke            one step each, of the small ones
///     --only NAMES       of these networks, with commas between
///     --threads NUMBERS  default 1,2
///     --seconds S        spent on each figure, default 2
///     --rounds N         rounds of all figures; the median is printed; default 3
///     --peer             PyTorch times the same steps in alternation; ratios are printed
void models(const std::vector<std::string>& arguments, Report& report);

}  // namespace foretrain::bench
