// Real runs over loopback, compared with PyTorch's on gloo.
#pragma once

#include "tests/bench/common/bench_report.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// Measures a parameter server, data-parallel training and all-reduce on this machine.
///
///     --smoke          one short run of each kind
///     --only NAMES     of these groups: async, sync, ddp2, ddp3, allreduce2, allreduce3,
///                      shared2: as allreduce2, with transport.shared_memory
///     --rounds N       rounds of all figures; the median is printed; default 3
///     --peer           gloo does the same in alternation, `pingpong` shows what the wire does in
///                      the same minute; ratios are printed
void exec_runs(const std::vector<std::string>& arguments, Report& report);

}  // namespace foretrain::bench
