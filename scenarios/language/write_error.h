// A result that nobody takes: the disk is full, say.
#pragma once

#include "scenarios/language/input_error.h"

#include <string>
#include <string_view>

namespace foretrain {

/// A result that could not be written though nothing is wrong with what was asked for: the disk is
/// full, say. Of InputError's kind, so that who goes on after that goes on after this.
class WriteError : public InputError {
 public:
  using InputError::InputError;
};

/// `PLACE: cannot write: No space left on device`, by `error` (errno). @throws WriteError where the
/// disk is full or broken, InputError where the place is no place to write
[[noreturn]] void fail_to_write(const std::string& place, int error,
                                std::string_view what = "cannot write");

}  // namespace foretrain
