// What the tests of emulated clusters share.
#pragma once

#include "reports/record/record.h"
#include "scenarios/spec/scenario.h"

#include <sys/types.h>

#include <set>
#include <string>

namespace foretrain::testing {

/// Whether this machine emulates clusters; says why where it does not.
bool can_emulate();

/// `workers` and one server on hosts of their own at 1 Gbit/s, a small training.
Case emulated_case(const std::string& strategy, int workers, std::int64_t steps);

/// Runs with --emulate; the training succeeds.
Record run_emulated(const Case& scenario_case);

/// The network namespace of a process, `net:[4026531840]`; empty where it is gone.
std::string network_of(pid_t process);

/// Whether anything keeps one of these networks: a process in it, a file descriptor, a mount.
/// Waits for a while, since processes that were killed take a moment to go.
bool still_kept(const std::set<std::string>& networks);

}  // namespace foretrain::testing
