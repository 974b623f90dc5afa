// A training in virtual time.
#pragma once

#include "reports/record/record.h"
#include "scenarios/scenario.h"
#include "sim/driver/world.h"

#include <functional>

namespace foretrain::sim {

struct SimulateOptions {
  MachineLookup machines;
  /// Between rows of usage.csv, in virtual time; zero: none.
  Duration usage_interval{100'000'000};
  /// Called now and then with the steps done by all workers, those to do, and virtual time.
  std::function<void(std::int64_t done, std::int64_t all, Instant now)> progress;
};

/// Simulates one case: the node programs of a run, with modelled time. The record is a function of
/// the case and the machines alone. @throws InputError
Record simulate(const Case& scenario_case, const SimulateOptions& options);

}  // namespace foretrain::sim
