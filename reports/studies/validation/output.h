// A validation for programs, its Result for people.
#pragma once

#include "reports/studies/result/result.h"
#include "reports/studies/validation/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace foretrain {

/// At most so many cases have all their metrics in the Result; of more, cases.csv has them.
inline constexpr std::size_t kDetailedCases = 4;

/// What `validate --json` prints. Unknown figures are null.
nlohmann::ordered_json to_json(const Validation& validation);

/// As a file holds it, whose text may be no UTF-8.
std::string to_text(const nlohmann::ordered_json& json);

/// The sentence that matters: how far off each strategy's step times are, how many lie in the
/// forecast's range, whether weights are equal, whether the order is kept.
std::string first_sentence(const Validation& validation);

/// The result of what `validate --json` prints: a row a case, of very many a row a strategy; where
/// errors come from, goals, pairs that lost their order, groups of seeds. @throws InputError with
/// the key that is wrong
Result validation_result(const JsonObject& validation);

/// cases.csv: a row a case and metric.
ResultTable metrics_table(const JsonObject& validation);

/// How a row of `cases` calls its case: as title_of(Case) does.
std::string case_title(const JsonObject& row);

}  // namespace foretrain
