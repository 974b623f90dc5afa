// The headline of trainings.
#pragma once

#include "reports/record/forecast_range.h"
#include "reports/record/record.h"
#include "reports/record/summary.h"

#include <string>
#include <vector>

namespace foretrain {

/// A record with its summary.
struct Trained {
  const Record& record;  ///< must outlive this
  Summary summary;
  ForecastRange range;
  std::string title;  ///< its name among the others
  std::string build;  ///< program version that wrote it; empty: not known

  [[nodiscard]] const Target& target() const;
  /// Range of a forecast's time to the target, or of its time without a target: `0.26 to 0.31`.
  /// Empty for a run, or if the target was not reached.
  [[nodiscard]] std::string range_s() const;
};

/// One training: its outcome, its time or time to the target with the range, the parts of a step.
/// Several: which learns from most examples per second and which has the best accuracy, or which
/// reaches its target first. Then notes: evaluation time that is left out, caveats.
std::string trainings_sentence(const std::vector<Trained>& trainings);

}  // namespace foretrain
