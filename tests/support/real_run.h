// A real training, for tests with processes, sockets.
#pragma once

#include "exec/launch/run.h"
#include "scenarios/spec/scenario.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {

/// Trains with the program under test; fails the test if the run fails.
inline Record real_run(const Case& scenario_case, exec::RunOptions options = {}) {
  options.program = program_path();
  Record record = exec::run(scenario_case, options);
  INFO(record.failure);
  REQUIRE(record.outcome == Outcome::done);
  return record;
}

}  // namespace foretrain::testing
