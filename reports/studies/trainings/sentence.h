// The sentence that says what trainings came to.
#pragma once

#include "reports/record/forecast_range.h"
#include "reports/record/record.h"
#include "reports/record/summary.h"

#include <string>
#include <vector>

namespace foretrain {

/// A record with what it comes to.
struct Trained {
  const Record& record;  ///< outlives it
  Summary summary;
  ForecastRange range;
  std::string title;  ///< among the others
  std::string build;  ///< that wrote it; empty: not known

  [[nodiscard]] const Target& target() const;
  /// `0.26 to 0.31`: of a forecast's time to the target if it has one, else of its time; empty: a
  /// run, a target that was not reached.
  [[nodiscard]] std::string range_s() const;
};

/// One training: how it ended, its time or its target with the range, what a step is made of.
/// Several: which learns from most examples a second and which most, or which reaches its target
/// first. Then notes: evaluation that is left out, caveats.
std::string trainings_sentence(const std::vector<Trained>& trainings);

}  // namespace foretrain
