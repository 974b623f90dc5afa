// Forecasts over what was measured, as a figure.
#pragma once

#include "reports/show/figures/figure.h"
#include "reports/studies/measured/forecast.h"

#include <vector>

namespace foretrain {

/// A panel for what is measured in one kind of unit: a point a figure, the diagonal, what is kNear
/// beside it. No panel: nothing is forecast.
Figure measured_figure(const std::vector<FigureForecast>& forecasts, const Result& result);

}  // namespace foretrain
