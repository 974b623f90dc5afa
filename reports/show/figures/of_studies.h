// Figures of validations, of measured tables.
#pragma once

#include "reports/record/json_object.h"
#include "reports/show/figures/figure.h"
#include "reports/studies/measured/forecast_rows.h"
#include "reports/studies/result/result.h"

#include <vector>

namespace foretrain {

/// The figure of a validation.json: predicted over measured step times on logarithmic axes, with a
/// point for each case, the diagonal, and bands of 5 and 10 % around it; beside it the errors by
/// strategy. The title has the strategy with the largest median error. The source has the machines
/// and the calibration of both modes. No panels if step times are not known.
Figure accuracy_of_forecast(const JsonObject& validation);

/// A panel for each unit: a point for each measured figure, the diagonal, lines at kNear beside it.
/// The title has the number of near forecasts. No panels if there is no forecast.
Figure measured_figure(const std::vector<FigureForecast>& forecasts, const Result& result);

/// A panel for each table with a column of per cents: a bar for each row. The title is the sentence
/// up to its first semicolon. No panels if there is no such table.
Figure result_figure(const std::string& name, const Result& result, const std::string& source);

}  // namespace foretrain
