// Scenarios drawn at random, as unlike each other as the simulator allows.
#pragma once

#include "models/base/random.h"
#include "scenarios/spec/scenario.h"
#include "tests/support/temp_folder.h"

namespace foretrain::testing {

/// Draws small trainings, numerics off: every strategy, topology, kind of host, straggler. The
/// files that some of them read (sparse examples, a trace, a profile) are there as long as it is.
class RandomScenarios {
 public:
  RandomScenarios();

  /// One that a file could hold: `check.h` has nothing against it.
  [[nodiscard]] Case draw(Stream& draw) const;

 private:
  void draw_model(Stream& draw, Scenario& scenario) const;
  void draw_stragglers(Stream& draw, Scenario& scenario, int workers) const;

  TempFolder folder_;
};

}  // namespace foretrain::testing
