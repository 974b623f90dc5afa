// What a terminal shows after a training.
#pragma once

#include "reports/record/record.h"

#include <string>

namespace foretrain {

/// One sentence with what came out, then the figures, then the nodes; at most 80 columns.
std::string summary_table(const Record& record);

}  // namespace foretrain
