// The figures of a record in one list.
#pragma once

#include "reports/record/record.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {

/// Names with values; nothing: not known.
using FlatFigures = std::vector<std::pair<std::string, std::optional<double>>>;

/// The numbers of the record's JSON in its order, those of objects in it as `phases.compute_s`;
/// last `rss_bytes_most`, the memory of the node that has most. Lists are left out: a list of nodes
/// says who did what, which has no middle. What is no number but null counts as not known.
FlatFigures flat_figures(const Record& record);

}  // namespace foretrain
