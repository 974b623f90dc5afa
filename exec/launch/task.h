// A task of an external launcher: srun, mpirun, mpiexec, or variables as torchrun sets them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// This process among those that were started together. Rank 0 runs the launcher in addition to its
/// node; ranks 0 to workers - 1 are the workers, then come the servers.
struct Task {
  std::string started_by;  ///< `srun`, `mpirun`, ..., or `RANK and WORLD_SIZE`
  int rank = 0;
  int size = 1;
  /// Names or addresses at which rank 0 may be; the first that can be resolved counts.
  std::vector<std::string> addresses;
  int port = 0;            ///< at which rank 0 listens
  bool elsewhere = false;  ///< some of the tasks are known to be on other machines
};

/// The value of an environment variable; nullopt if it is unset or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

/// The task that the variables describe; nullopt if they describe none. RANK, WORLD_SIZE,
/// MASTER_ADDR and MASTER_PORT each take precedence over a launcher's variables. Slurm's variables
/// of a *step* are read: a batch script is no task, but each process of its srun is.
/// @throws InputError (an incomplete description, invalid numbers, no way to find rank 0)
std::optional<Task> read_task(const Environment& environment);

/// Checks all variables, `NAME=value`. @throws InputError if they look like those of a launcher
/// that read_task does not know: a *_RANK with a *_SIZE above 1
void check_known(const std::vector<std::string>& variables);

/// The task that this process is. @throws InputError as the two functions above
std::optional<Task> own_task();

/// True if another program has restarted all tasks, after a failure or a preemption: torchrun
/// (TORCHELASTIC_RESTART_COUNT), Slurm (SLURM_RESTART_COUNT).
/// @throws InputError if the count is no number
bool is_restarted(const Environment& environment);

/// The first name of a Slurm list of hosts: `node07` in `node[07-12,20],login1`.
std::string first_host(std::string_view list);

}  // namespace foretrain::exec
