// The output of a validation: JSON for programs, a Result for people.
#pragma once

#include "reports/studies/result/result.h"
#include "reports/studies/validation/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace foretrain {

/// Up to this number of cases the Result lists every metric; cases.csv always does.
inline constexpr std::size_t kDetailedCases = 4;

/// The object that `validate --json` prints. Unknown figures are null.
nlohmann::ordered_json to_json(const Validation& validation);

/// The text of a JSON file; invalid UTF-8 is replaced.
std::string to_text(const nlohmann::ordered_json& json);

/// The headline: step-time error of each strategy, number of cases in the forecast's range, whether
/// the weights are equal, whether the order of the cases is right.
std::string first_sentence(const Validation& validation);

/// The tables from the JSON of `validate --json`: a row for each case, or for each strategy if the
/// cases are many; sources of errors, goals, inverted pairs, groups of seeds.
/// @throws InputError that names the wrong key
Result validation_result(const JsonObject& validation);

/// cases.csv: a row for each case and metric.
ResultTable metrics_table(const JsonObject& validation);

/// The title of the case in a row of `cases`, as by title_of(Case).
std::string case_title(const JsonObject& row);

}  // namespace foretrain
