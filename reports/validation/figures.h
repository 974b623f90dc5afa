// A validation as a figure.
#pragma once

#include "reports/figures/figure.h"
#include "reports/validation/validation.h"

namespace foretrain {

/// Predicted against measured step time, both logarithmic, a mark a case, with the diagonal and
/// bands of 5 and 10 % around it; beside it the errors by strategy. The title says which machines
/// and which calibration both come from. No panels where no step times are known.
Figure accuracy_of_forecast(const Validation& validation);

}  // namespace foretrain
