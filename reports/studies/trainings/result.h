// The result of one training, or of several side by side.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/result/result.h"

#include <string>
#include <vector>

namespace foretrain {

/// How each record is called among the others: as its case, behind the name of its scenario if they
/// are of several; a number tells the same case apart. The mode is not in it.
std::vector<std::string> names_among(const std::vector<Record>& records);

/// One record: its sentence, a row a figure. Several: which is ahead, a row a record, then (if
/// everything is asked for) the figures of each. Last the nodes. Trainings are compared without
/// their evaluations, runs with runs if there are two. Forecasts tie that differ by less than their
/// error (forecast_range), runs whose figures read the same. `builds`: the program that wrote each
/// record; may be empty.
Result result_of(const std::vector<Record>& records, const std::vector<std::string>& builds = {});

}  // namespace foretrain
