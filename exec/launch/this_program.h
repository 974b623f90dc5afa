// What a record says of the program that wrote it.
#pragma once

#include "reports/record/provenance.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace foretrain::exec {

/// Of this process, now.
Provenance this_program();

/// The name of this machine.
std::string host_name();

/// With which this process was called, its name first.
std::vector<std::string> words_of_command();

/// This program with these words, as a process of its own (start_process): `run`, ...
/// @throws std::system_error
pid_t start_this_program(std::vector<std::string> words);
/// Ends it, politely first: a run keeps its record. Waits for that.
void end_program(pid_t process);

}  // namespace foretrain::exec
