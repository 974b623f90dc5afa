// What a validation says in words.
#pragma once

#include "reports/studies/validation/validation.h"

#include <string>

namespace foretrain {

/// The sentence that matters: how far off each strategy's step times are, whether weights are
/// equal, whether the order is kept. Not wrapped.
std::string first_sentence(const Validation& validation);

/// Where others used the machine while it trained, in the case where they did most; cases that are
/// made of one worker's gradients (caveats.h); else empty. Not wrapped.
std::string caveat_sentences(const Validation& validation);

}  // namespace foretrain
