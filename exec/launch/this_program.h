// The provenance of a record: the program that wrote it.
#pragma once

#include "reports/record/provenance.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace foretrain::exec {

/// The provenance of records that this process writes now.
Provenance this_program();

/// The name of this machine.
std::string host_name();

/// The command line of this process, program name first.
std::vector<std::string> words_of_command();

/// Starts this program with these words in a child process (start_process): `run`, ...
/// @throws std::system_error
pid_t start_this_program(std::vector<std::string> words);
/// Ends it, first with SIGTERM, so that a run saves its record. Waits for the end.
void end_program(pid_t process);

}  // namespace foretrain::exec
