// Benchmarks of commands as people wait for them.
#pragma once

#include "tests/bench/common/bench_options.h"
#include "tests/bench/common/bench_report.h"

namespace foretrain::bench {

/// A sweep of 520 small simulations without numerics: one row, in seconds.
void time_sweep(const Options& options, Report& report);
/// `simulate quickstart` on a calibrated machine: one row, in seconds.
void time_first_answer(const Options& options, Report& report);

}  // namespace foretrain::bench
