// What a terminal shows after a training.
#pragma once

#include "reports/record/record.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace foretrain {

/// What came out, in one sentence: `sync run: 1,000 gradients in 0.41 s, ...`.
std::string record_sentence(const Record& record);

/// Of which nodes there is a line: kShownNodes of them, as many of each kind as there are, or all.
enum class NodeLines { few, all };
inline constexpr std::size_t kShownNodes = 10;

/// The sentence with what came out, then the figures, then the nodes; as wide as the terminal at
/// most. `build`: that wrote the record, where it is known.
std::string summary_table(const Record& record, std::string_view build = {},
                          NodeLines lines = NodeLines::few);

}  // namespace foretrain
