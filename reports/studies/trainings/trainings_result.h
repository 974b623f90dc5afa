// The result of one training, or a comparison of several.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/result/result.h"

#include <string>
#include <vector>

namespace foretrain {

/// A distinct name for each record: the title of its case, after the name of its scenario if there
/// are several scenarios, with a number if a case occurs again. The mode is not part of it.
std::vector<std::string> names_among(const std::vector<Record>& records);

/// One record: its sentence, a row for each figure. Several: which is ahead, a row for each record,
/// then (with --full) the figures of each. Last the nodes. Trainings are compared without their
/// evaluations; only runs are compared if there are two or more. Forecasts tie if they differ by
/// less than their error (forecast_range), runs if their printed figures are equal. `builds`: the
/// program version that wrote each record; may be empty.
Result result_of(const std::vector<Record>& records, const std::vector<std::string>& builds = {});

}  // namespace foretrain
