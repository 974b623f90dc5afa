// A study's answer on a terminal.
#pragma once

#include "reports/studies/result/result.h"

#include <string>

namespace foretrain {

/// The sentence; tables; what it stands on. `full`: all tables with all rows, their titles, notes;
/// else the tables that are not for that, with at most kBriefRows rows, of a table that judges its
/// rows those that are farthest off. As wide as the terminal: words are cut so that numbers are
/// not.
std::string to_text(const Result& result, bool full);

}  // namespace foretrain
