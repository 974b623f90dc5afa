// Figures of validations, of tables that somebody measured.
#pragma once

#include "reports/record/json_object.h"
#include "reports/show/figures/figure.h"
#include "reports/studies/measured/forecast.h"
#include "reports/studies/result/result.h"

#include <vector>

namespace foretrain {

/// The figure of a validation.json: predicted against measured step time, both logarithmic, a mark
/// a case, with the diagonal and bands of 5 and 10 % around it; beside it the errors by strategy.
/// Its title says how far off the strategy is that is furthest off in the median of its cases. Its
/// source says which machines and which calibration both come from. No panels where no step times
/// are known.
Figure accuracy_of_forecast(const JsonObject& validation);

/// A panel for what is measured in one kind of unit: a point a figure, the diagonal, what is kNear
/// beside it. The title says how many forecasts are near. No panel: nothing is forecast.
Figure measured_figure(const std::vector<FigureForecast>& forecasts, const Result& result);

/// A panel for each table that has a column of per cents: a bar a row. The title is the sentence
/// as far as its first semicolon. No panel: there is none.
Figure result_figure(const std::string& name, const Result& result, const std::string& source);

}  // namespace foretrain
