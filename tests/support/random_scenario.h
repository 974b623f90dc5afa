// Random scenarios of the greatest variety that the simulator allows.
#pragma once

#include "models/base/random.h"
#include "scenarios/spec/scenario.h"
#include "tests/support/temp_folder.h"

namespace foretrain::testing {

/// Draws small trainings without numerics: every strategy, topology, kind of host, straggler. The
/// files that some of them read (sparse examples, a trace, a profile) exist as long as this object.
class RandomScenarios {
 public:
  RandomScenarios();

  /// Draws a scenario that a file could contain: `check_case.h` accepts it.
  [[nodiscard]] Case draw(Stream& draw) const;

 private:
  void draw_model(Stream& draw, Scenario& scenario) const;
  void draw_stragglers(Stream& draw, Scenario& scenario, int workers) const;

  TempFolder folder_;
};

}  // namespace foretrain::testing
