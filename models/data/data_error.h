// The exception for a data file that cannot be used.
#pragma once

#include <stdexcept>

namespace foretrain {

/// Bad input, never a bug: the message names the file, what was expected, what was found, and what
/// to do about it. Only `main` catches it.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace foretrain
