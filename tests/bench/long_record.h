// The record of a training of very many steps.
#pragma once

#include "tests/bench/common/bench_report.h"

#include <cstdint>

namespace foretrain::bench {

/// Reports the time to write it as a run does, read it back and report on it, and the bytes of
/// each.
void long_record(std::int64_t steps, Report& report);

}  // namespace foretrain::bench
