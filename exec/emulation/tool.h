// Execution of system programs.
#pragma once

#include <string>
#include <vector>

namespace foretrain::exec {

/// The full path of a system administration program, regardless of PATH; empty if it is not
/// installed.
std::string find_tool(const std::string& name);

/// Runs `arguments` (the first is the program) without a shell, with `input` on its standard input,
/// in the calling thread's network. Returns its standard output.
/// @throws std::runtime_error with its error output if it does not exit with status 0
std::string run_tool(const std::vector<std::string>& arguments, const std::string& input);

}  // namespace foretrain::exec
