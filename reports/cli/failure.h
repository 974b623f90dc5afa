// What went wrong, told to people.
#pragma once

#include <exception>
#include <functional>

namespace foretrain {

/// Tells standard error; returns the exit status, which says whose fault it is: bad input, a
/// training that was not done, or the program's.
int tell_failure(const std::exception& error);

/// The exit status of the process, whose command is `act`: what that returns; what its failure
/// comes to, which is told; kInterrupted where a signal came, whatever it came to; kFailed where
/// standard output did not take all of a result, which is told.
int exit_status(const std::function<int()>& act);

}  // namespace foretrain
