// Reports errors to people; derives exit statuses from them.
#pragma once

#include <exception>
#include <functional>

namespace foretrain {

/// Writes the error to standard error; returns the exit status, which distinguishes bad input, a
/// training that was not completed, and a failure of the program.
int tell_failure(const std::exception& error);

/// Runs the command `act`; returns the exit status of the process: that of `act`, or of its
/// exception, which is reported; but kInterrupted after any signal, and kFailed if standard output
/// did not take the whole result, which is reported.
int exit_status(const std::function<int()>& act);

}  // namespace foretrain
