// Figures of validations, of tables that somebody measured.
#pragma once

#include "reports/record/json_object.h"
#include "reports/show/figures/figure.h"
#include "reports/studies/measured/forecast.h"
#include "reports/studies/result/result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// The step time of a case.
struct ForecastCase {
  std::string title;  ///< its strategy, then what else the sweep sets
  std::string strategy;
  nlohmann::ordered_json settings;
  double measured = 0;                   ///< ms, median of the runs
  double predicted = 0;                  ///< ms
  std::optional<double> predicted_low;   ///< ms, where the machine wanders
  std::optional<double> predicted_high;  ///< ms
  std::optional<bool> in_range;          ///< measured is; empty where there is no range
  std::optional<double> spread;          ///< of the runs, as Comparison has it
  std::optional<double> protocol_error;  ///< likewise
  std::optional<double> compute_error;
};

/// How a row of validation.json's `cases` calls its case: as title_of(Case) does.
std::string case_title(const JsonObject& row);

/// In the order of the cases; those without a step time are left out. `validation` is what
/// validation.json holds (to_json of a Validation). @throws InputError with the key that is wrong
std::vector<ForecastCase> forecast_cases(const JsonObject& validation);

/// Predicted against measured step time, both logarithmic, a mark a case, with the diagonal and
/// bands of 5 and 10 % around it; beside it the errors by strategy. Its title says how far off the
/// strategy is that is furthest off in the median of its cases. Its source says which machines
/// and which calibration both come from. No panels where no step times are known.
Figure accuracy_of_forecast(const JsonObject& validation);

/// A panel for what is measured in one kind of unit: a point a figure, the diagonal, what is kNear
/// beside it. The title says how many forecasts are near. No panel: nothing is forecast.
Figure measured_figure(const std::vector<FigureForecast>& forecasts, const Result& result);

/// A panel for each table that has a column of per cents: a bar a row. The title is the sentence
/// as far as its first semicolon. No panel: there is none.
Figure result_figure(const std::string& name, const Result& result, const std::string& source);

}  // namespace foretrain
