// Child processes: started, pinned, waited for, ended.
#pragma once

#include "models/base/time.h"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Descriptors that a child has as its standard input, and as its standard error; -1: as this
/// process has it.
struct Streams {
  int input = -1;
  int errors = -1;
};

/// Starts `arguments` (the first is the program) in a process group of its own, so that a Ctrl-C
/// reaches the launcher alone, with standard output on standard error. The child dies with the
/// process that started it, even if that one is killed. `cores`: as of pin_to_cores; none: not
/// pinned.
/// `variables`: as of `become`.
/// @throws std::system_error
pid_t start_process(const std::vector<std::string>& arguments, const std::vector<int>& cores,
                    const Streams& streams = {}, const std::vector<std::string>& variables = {});

/// This process becomes `program`. Its environment stays, but for `variables` (`NAME=value`), which
/// only this user can read there. Returns only if that failed: errno.
int become(const std::filesystem::path& program, char* const* arguments,
           const std::vector<std::string>& variables);

/// As exec takes them, ending with a null pointer; they point into `words`.
std::vector<char*> raw_words(const std::vector<std::string>& words);

/// From now on this process ends, with status 1, as soon as its standard input does: so does one
/// that ssh runs on this host when ssh is gone, however that ended.
void end_with_standard_input();

/// `exited with status 3`, `was killed by signal 9 (Killed)`.
std::string describe_status(int status);

/// The status of a child that has ended, as waitpid tells it; the child is reaped. Nothing where it
/// lives on.
std::optional<int> status_if_ended(pid_t process);
/// The same in words.
std::optional<std::string> how_ended(pid_t process);

/// What the first thread of a process is at.
struct FirstThread {
  bool wants_core = false;  ///< it has one, or waits for one; else it sleeps, or is stopped
  Duration had;             ///< of cores, since it began
};
/// Nothing: there is no such process.
std::optional<FirstThread> first_thread_of(pid_t process);

/// Whether the process holds a TCP connection whose own end has this port. Only of a process that
/// this one may look into.
bool holds_port(pid_t process, int port);

/// Ends the processes that still live: a polite signal, then, after `grace`, the other one. All of
/// them are reaped when it returns.
void end_processes(const std::vector<pid_t>& processes, Duration grace);

/// The cores that this process may use, in order, as many as its CPU quota is worth.
std::vector<int> usable_cores();
/// How many they are.
int usable_core_count();
/// Pins the calling thread, and those that it will start, to these cores; to none if a CPU quota,
/// not the kernel's mask, bounds how many are usable: the kernel then moves them to idle cores.
void pin_to_cores(const std::vector<int>& cores);

/// Cores' worth of CPU time, `1.5`: the least of cpu.max (cgroup v2) or cpu.cfs_quota_us (v1) of
/// the process's groups and of those above them. Nothing: none has a bound. `root`: prefix of /proc
/// and /sys.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace foretrain::exec
