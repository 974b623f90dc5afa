// Child processes: started, pinned, waited for, ended.
#pragma once

#include "models/base/time.h"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Descriptors of a child's standard input and standard error; -1 if it inherits this process's.
struct Streams {
  int input = -1;
  int errors = -1;
};

/// Starts `arguments` (the first is the program) in a new process group, so that Ctrl-C reaches
/// only the launcher, with standard output redirected to standard error. The child dies with the
/// process that started it, even if that one is killed. `cores`: as in pin_to_cores; empty if not
/// pinned. `variables`: as in `become`. @throws std::system_error
pid_t start_process(const std::vector<std::string>& arguments, const std::vector<int>& cores,
                    const Streams& streams = {}, const std::vector<std::string>& variables = {});

/// Replaces this process by `program`. The environment is inherited, except for `variables`
/// (`NAME=value`), which only this user can read there. Returns only on failure: errno.
int become(const std::filesystem::path& program, char* const* arguments,
           const std::vector<std::string>& variables);

/// Arguments in the form of exec, ending with a null pointer; they point into `words`.
std::vector<char*> raw_words(const std::vector<std::string>& words);

/// From now on this process exits with status 1 when its standard input ends: so a process that ssh
/// runs on this host ends when ssh is gone, for whatever reason.
void end_with_standard_input();

/// `exited with status 3`, `was killed by signal 9 (Killed)`.
std::string describe_status(int status);

/// The waitpid status of a child that has ended; the child is reaped. nullopt if it still runs.
std::optional<int> status_if_ended(pid_t process);
/// The same in words.
std::optional<std::string> how_ended(pid_t process);

/// State of a process's first thread.
struct FirstThread {
  bool wants_core = false;  ///< it runs or is runnable; else it sleeps or is stopped
  Duration had;             ///< CPU time since it began
};
/// nullopt if there is no such process.
std::optional<FirstThread> first_thread_of(pid_t process);

/// Whether the process has a TCP connection with this local port. Only for a process whose files
/// this one may inspect.
bool holds_port(pid_t process, int port);

/// Ends the processes that still live: SIGTERM, then SIGKILL after `grace`. All of them are reaped
/// on return.
void end_processes(const std::vector<pid_t>& processes, Duration grace);

/// The cores that this process may use, in order, at most as many as its CPU quota allows.
std::vector<int> usable_cores();
/// Their number.
int usable_core_count();
/// Pins the calling thread, and threads that it will start, to these cores. Does nothing if a CPU
/// quota rather than the affinity mask limits the usable cores: the kernel then uses idle cores.
void pin_to_cores(const std::vector<int>& cores);

/// CPU quota in cores, `1.5`: the smallest of cpu.max (cgroup v2) or cpu.cfs_quota_us (v1) over the
/// process's groups and their ancestors. nullopt if there is none. `root`: prefix of /proc and
/// /sys.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace foretrain::exec
