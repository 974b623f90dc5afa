// What a validation says in words.
#pragma once

#include "reports/studies/validation/validation.h"

#include <string>

namespace foretrain {

/// The sentence that matters: how far off each strategy's step times are, whether weights are
/// equal, whether the order is kept. Not wrapped.
std::string first_sentence(const Validation& validation);

/// Where others used the machine while it trained, in the case where they did most; else empty. Not
/// wrapped.
std::string busy_sentence(const Validation& validation);

}  // namespace foretrain
