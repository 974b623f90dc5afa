// What went wrong, told to people.
#pragma once

#include <exception>

namespace foretrain {

/// Tells standard error; returns the exit status, which says whose fault it is: bad input, a
/// training that was not done, or the program's.
int tell_failure(const std::exception& error);

}  // namespace foretrain
