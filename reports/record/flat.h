// The figures of a record in one list.
#pragma once

#include "reports/record/record.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {

/// Names with values; an empty value is not known.
using FlatFigures = std::vector<std::pair<std::string, std::optional<double>>>;

/// The numbers of the record's JSON in its order; nested ones are named like `phases.compute_s`.
/// Null is an unknown number. Lists are left out, since the items of different nodes cannot be
/// combined. Last comes `rss_bytes_most`, the memory of the node with most.
FlatFigures flat_figures(const Record& record);

}  // namespace foretrain
