// The record of a training of very many steps.
#pragma once

#include "tests/bench/common/report.h"

#include <cstdint>

namespace foretrain::bench {

/// Reports in which time it is written as a run writes it, read back, reported, and how many bytes
/// each comes to.
void long_record(std::int64_t steps, Report& report);

}  // namespace foretrain::bench
