// Programs of the system that do a part of the work.
#pragma once

#include <string>
#include <vector>

namespace foretrain::exec {

/// The full path of a program of the system's administration, wherever PATH leads; empty where it
/// is not installed.
std::string find_tool(const std::string& name);

/// Runs `arguments` (the first is the program) without a shell, `input` on its standard input, in
/// the calling thread's network. Returns what it wrote on its standard output.
/// @throws std::runtime_error with what it said, where it does not end with status 0
std::string run_tool(const std::vector<std::string>& arguments, const std::string& input);

}  // namespace foretrain::exec
