// The commands of the first minutes: a scenario of one's own, those that there are.
#pragma once

#include "reports/cli/arguments.h"

#include <functional>
#include <iosfwd>
#include <string>

namespace foretrain {

// Each returns the exit status. @throws InputError

/// Writes a scenario from what the options say; where they do not say all, and somebody sits at a
/// terminal, asks. Tells what to do next.
int new_scenario(const Arguments& arguments);
/// Lists the library's scenarios; of one the text, printed or copied.
int examples(const Arguments& arguments);

/// Asks `in` for each answer that `draft` misses, again where it means nothing; an empty line takes
/// what is proposed. `say`: what is told, as it is. @throws InputError where `in` ends
Draft ask_draft(Draft draft, std::istream& in, const std::function<void(const std::string&)>& say);

}  // namespace foretrain
