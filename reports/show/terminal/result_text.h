// A study's Result as text for a terminal.
#pragma once

#include "reports/studies/result/result.h"

#include <string>

namespace foretrain {

/// The sentence, the tables, the assumptions, at most as wide as the terminal: words are cut,
/// numbers never. `full`: all tables with all rows, titles, notes. Otherwise only tables that are
/// not marked `full`, with at most kBriefRows rows: in a table that judges its rows, those with the
/// largest errors.
std::string to_text(const Result& result, bool full);

}  // namespace foretrain
