// Charts whose few largest values would flatten all others.
#pragma once

#include "reports/show/figures/figure.h"

namespace foretrain {

/// Makes the y axis of a panel of lines logarithmic where its largest value is more than kFlattens
/// times the median: then both are seen, and none is cut off. Not where a value is zero or less.
void spread_outliers(Panel& panel);
inline constexpr double kFlattens = 20;

}  // namespace foretrain
