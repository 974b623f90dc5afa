// The cost of encryption.
#pragma once

#include "tests/bench/common/bench_report.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// Plain and TLS in alternation, so that both see the machine in the same state: messages of 1 KB,
/// 1 MB and 25 MB to a node on another core, then a training of lenet_large, sync, two workers.
/// Reports medians, the median of the ratios, and the extra time per byte.
///
///     --smoke       once, small
///     --rounds N    of either; default 9
void tls(const std::vector<std::string>& arguments, Report& report);

}  // namespace foretrain::bench
