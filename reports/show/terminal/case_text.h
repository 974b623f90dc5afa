// A sentence about a case or a machine.
#pragma once

#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"

#include <string>
#include <string_view>

namespace foretrain {

/// The training of a case: `quickstart, strategy=sync: softmax on digits, 2 workers, ...`.
std::string case_sentence(const Case& scenario_case);

/// `sentence` in lines of the terminal's width, each with the prefix `mark`.
std::string as_comment(std::string_view sentence, std::string_view mark);

/// The measurements of a machine: its models, its messages, the least certain figure.
std::string machine_sentence(const Machine& machine);

}  // namespace foretrain
