// A case or a machine in a sentence.
#pragma once

#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"

#include <string>
#include <string_view>

namespace foretrain {

/// What a case trains: `quickstart, strategy=sync: softmax on digits, 2 workers, 1 server, ...`.
std::string case_sentence(const Case& scenario_case);

/// `sentence` in lines of the terminal's width, each behind `mark`.
std::string as_comment(std::string_view sentence, std::string_view mark);

/// What was measured of a machine: its models, its messages, the figure that is least sure.
std::string machine_sentence(const Machine& machine);

}  // namespace foretrain
