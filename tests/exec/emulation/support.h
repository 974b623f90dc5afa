// Shared helpers for tests of emulated clusters.
#pragma once

#include "reports/record/record.h"
#include "scenarios/spec/scenario.h"

#include <sys/types.h>

#include <set>
#include <string>

namespace foretrain::testing {

/// Whether this machine can emulate clusters; prints the reason if not.
bool can_emulate();

/// A small training of `workers` and one server, each on its own host at 1 Gbit/s.
Case emulated_case(const std::string& strategy, int workers, std::int64_t steps);

/// Runs with --emulate; the training has to succeed.
Record run_emulated(const Case& scenario_case);

/// The network namespace of a process, `net:[4026531840]`; empty if the process has ended.
std::string network_of(pid_t process);

/// Whether one of these networks still exists because of a process in it, a file descriptor, a
/// mount. Waits for a while, because killed processes take a moment to end.
bool still_kept(const std::set<std::string>& networks);

}  // namespace foretrain::testing
