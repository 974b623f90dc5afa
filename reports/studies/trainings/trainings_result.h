// The result of one training, or a comparison of several.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/result/result.h"
#include "reports/studies/trainings/sentence.h"

#include <string>
#include <vector>

namespace foretrain {

/// A name for each record: the title of its case, after the name of its scenario if there are
/// several, with a number if the case occurs again in the same mode. The mode is not part of it.
std::vector<std::string> names_among(const std::vector<Record>& records);

/// A row for each training, a column for each figure.
ResultTable trainings_table(const std::vector<Trained>& trainings);

/// One record: a headline, a row for each figure. Several: a headline that says which is ahead, a
/// row for each record, then (with --full) the figures of each. Last a table of the nodes. Compared
/// times exclude evaluations. If two or more records are runs, only these are compared. Forecasts
/// tie if they differ by less than their error (forecast_range), runs if their printed figures are
/// equal. `builds`: the program version that wrote each record; may be empty.
Result result_of(const std::vector<Record>& records, const std::vector<std::string>& builds = {});

}  // namespace foretrain
