// A validation in a dozen lines, for who reads nothing else.
#pragma once

#include "reports/studies/validation/validation.h"

#include <cstddef>
#include <string>

namespace foretrain {

/// Of more cases a line stands for a strategy.
inline constexpr std::size_t kBriefCases = 8;

/// The sentence that matters, what was trained, then of each case how fast its steps were, how fast
/// they were forecast, what it learned; of very many, of each strategy how large the errors were.
/// At the end, where the machine is not as it was calibrated, that. As wide as the terminal at
/// most.
std::string validation_brief(const Validation& validation);

}  // namespace foretrain
