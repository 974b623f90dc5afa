// The counted figures of a record.
#pragma once

#include "reports/record/counted_totals.h"
#include "scenarios/resolve/prepared.h"

#include <optional>

namespace foretrain::sim {

/// Nothing if the network is not counted.
std::optional<CountedTotals> count_totals(const Prepared& prepared);

}  // namespace foretrain::sim
