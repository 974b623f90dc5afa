// The error for results that cannot be written.
#pragma once

#include "scenarios/language/input_error.h"

#include <string>
#include <string_view>

namespace foretrain {

/// A valid result that could not be written, for instance because the disk is full. It is an
/// InputError, so that code that continues after InputError also continues after this.
class WriteError : public InputError {
 public:
  using InputError::InputError;
};

/// `PLACE: cannot write: No space left on device`, by `error` (errno). @throws WriteError if the
/// disk is full or broken or the reader of a pipe is gone, else InputError
[[noreturn]] void fail_to_write(const std::string& place, int error,
                                std::string_view what = "cannot write");

}  // namespace foretrain
