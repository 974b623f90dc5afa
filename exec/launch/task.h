// A task of a launcher of other people: srun, mpirun, mpiexec, or variables as torchrun sets them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// Where this process stands among those that somebody started together. Rank 0 is the launcher of
/// the run beside its own node; ranks 0 to workers - 1 are the workers, then come the servers.
struct Task {
  std::string started_by;  ///< `srun`, `mpirun`, ..., or `RANK and WORLD_SIZE`
  int rank = 0;
  int size = 1;
  /// Names or addresses at which rank 0 may be; the first that can be resolved counts.
  std::vector<std::string> addresses;
  int port = 0;            ///< at which rank 0 listens
  bool elsewhere = false;  ///< some of the tasks are known to be on other machines
};

/// The value of an environment variable; nothing where it is not set, or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

/// Which task the variables describe; nothing where they describe none. RANK, WORLD_SIZE,
/// MASTER_ADDR and MASTER_PORT each win over what a launcher says. Slurm's variables of a *step*
/// are read: a batch script is no task, but each process that its srun starts.
/// @throws InputError (half a description, numbers that are none, no way to know where rank 0 is)
std::optional<Task> read_task(const Environment& environment);

/// Of all variables, `NAME=value`. @throws InputError where they look like a launcher's that
/// read_task does not know: a *_RANK beside a *_SIZE above 1
void check_known(const std::vector<std::string>& variables);

/// Which task this process is. @throws InputError as both of these
std::optional<Task> own_task();

/// Somebody has started all tasks again, after one of them had failed or its machine was wanted:
/// torchrun (TORCHELASTIC_RESTART_COUNT), Slurm (SLURM_RESTART_COUNT). @throws InputError where the
/// count is no number
bool is_restarted(const Environment& environment);

/// The first name of a Slurm list of hosts: `node07` of `node[07-12,20],login1`.
std::string first_host(std::string_view list);

}  // namespace foretrain::exec
