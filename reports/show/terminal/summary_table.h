// What a terminal shows after a training.
#pragma once

#include "reports/record/record.h"

#include <string>
#include <string_view>

namespace foretrain {

/// What came out, in one sentence: `sync run: 1,000 gradients in 0.41 s, ...`.
std::string record_sentence(const Record& record);

/// The sentence with what came out, then the figures, then the nodes; at most 80 columns. `build`:
/// that wrote the record, where it is known.
std::string summary_table(const Record& record, std::string_view build = {});

}  // namespace foretrain
