// A validation for people, for programs, for spreadsheets.
#pragma once

#include "reports/studies/validation/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace foretrain {

/// At most so many cases have all their metrics in the table; of more, cases.csv has them.
inline constexpr std::size_t kDetailedCases = 4;

/// A terminal of 80 columns: the sentence that matters, the strategies, their errors apart, the
/// goals, pairs that lost their order, groups of seeds, a line a case, then each metric of each
/// case where they are few.
std::string to_table(const Validation& validation);

/// One case, metric by metric; at most 80 columns.
std::string case_table(const CaseValidation& c, int repetitions);

/// What `validate --json` prints. Unknown figures are null.
nlohmann::ordered_json to_json(const Validation& validation);

/// As a file holds it, whose text may be no UTF-8.
std::string to_text(const nlohmann::ordered_json& json);

/// A row a case and metric: case, strategy, metric, node, measured, q1, q3, spread, predicted,
/// error, protocol_error, compute_error. Empty: not known.
std::string cases_csv(const Validation& validation);

/// `sync lenet 3`: a case by the values of its settings where all cases set the same ones, else its
/// title; the strategy first.
std::string short_title(const CaseValidation& c, const Validation& validation);

/// The sentence that matters: how far off each strategy's step times are, whether weights are
/// equal, whether the order is kept. Not wrapped.
std::string first_sentence(const Validation& validation);

/// Where others used the machine while it trained, in the case where they did most; cases that are
/// made of one worker's gradients (caveats.h); else empty. Not wrapped.
std::string caveat_sentences(const Validation& validation);

}  // namespace foretrain
