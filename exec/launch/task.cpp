#include "exec/launch/task.h"

#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>

namespace foretrain::exec {
namespace {

// Which variables of a launcher say what.
struct Dialect {
  const char* name;
  const char* rank;
  const char* size;
  const char* job;  // names the job: from it all tasks make the same port
};

constexpr Dialect kSlurm{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID"};
constexpr Dialect kOpenMpi{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                           "PMIX_NAMESPACE"};

std::optional<int> number(const Environment& environment, const char* name, int least, int most) {
  const auto text = environment(name);
  if (!text) return {};
  int value = 0;
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || value < least || value > most) {
    throw InputError(fmt::format("{}={}: is no whole number from {} to {}; set it to one", name,
                                 *text, least, most));
  }
  return value;
}

// mpirun before srun: inside an allocation of Slurm it starts its processes by a step of its own. A
// launcher's lone task is none: people get their shell on a machine of the cluster that way.
std::optional<Dialect> dialect_of(const Environment& environment) {
  for (const Dialect& dialect : {kOpenMpi, kSlurm}) {
    const auto size = environment(dialect.size);
    if (environment(dialect.rank) && size && *size != "1") return dialect;
  }
  return {};
}

// Below the ports that a kernel deals out by itself. FNV-1a: any that spreads will do.
int port_of_job(const std::string& job) {
  std::uint32_t hash = 2166136261U;
  for (const char each : job) hash = (hash ^ static_cast<unsigned char>(each)) * 16777619U;
  return 20'000 + static_cast<int>(hash % 10'000);
}

int find_port(const Environment& environment, const std::optional<Dialect>& dialect) {
  if (const auto port = number(environment, "MASTER_PORT", 1, 65'535)) return *port;
  const auto job = dialect ? environment(dialect->job) : std::nullopt;
  if (!job) {
    throw InputError(
        "MASTER_PORT is not set: set it, the same in every task, to a free port of the machine of "
        "rank 0");
  }
  const bool step = dialect->name == kSlurm.name;  // of which a job may have several at a time
  return port_of_job(step ? *job + "." + environment("SLURM_STEP_ID").value_or("") : *job);
}

// Whether all tasks are on one machine, where that is known.
std::optional<bool> together(const Environment& environment, const Task& task) {
  if (task.size == 1) return true;
  for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
    if (const auto local = environment(name)) return *local == fmt::format("{}", task.size);
  }
  if (const auto nodes = environment("SLURM_STEP_NUM_NODES")) return *nodes == "1";
  return {};
}

std::vector<std::string> find_addresses(const Environment& environment, const Task& task,
                                        std::optional<bool> one_machine) {
  if (const auto address = environment("MASTER_ADDR")) return {*address};
  if (one_machine == true) return {"127.0.0.1"};
  std::vector<std::string> addresses;
  if (task.started_by == kSlurm.name) {
    if (const auto hosts = environment("SLURM_STEP_NODELIST")) {
      addresses.push_back(first_host(*hosts));
    }
    // Where srun runs: in a batch script that is the first machine, too. For clusters whose names
    // of nodes are no names of hosts.
    for (const char* name : {"SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_HOST"}) {
      if (const auto address = environment(name)) addresses.push_back(*address);
    }
  }
  if (addresses.empty()) {
    throw InputError(
        fmt::format("it is not known where rank 0 is: set MASTER_ADDR, the same in every task, to "
                    "the name or the "
                    "address of its machine{}",
                    task.started_by == kOpenMpi.name ? " (mpirun -x MASTER_ADDR=...)" : ""));
  }
  return addresses;
}

}  // namespace

std::optional<std::string> process_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

std::optional<Task> read_task(const Environment& environment) {
  constexpr int kMost = 1'000'000;
  const auto dialect = dialect_of(environment);
  auto size = number(environment, "WORLD_SIZE", 1, kMost);
  if (!size && dialect) size = number(environment, dialect->size, 1, kMost);
  auto rank = number(environment, "RANK", 0, kMost);
  if (!rank && dialect) rank = number(environment, dialect->rank, 0, kMost);
  if (!rank && !size) return {};
  if (!rank || !size) {
    throw InputError(fmt::format(
        "{} is set, {} is not: set both in every task, or neither to train on this machine alone",
        rank ? "RANK" : "WORLD_SIZE", rank ? "WORLD_SIZE" : "RANK"));
  }
  if (*rank >= *size) {
    throw InputError(fmt::format(
        "RANK is {}, WORLD_SIZE {}: ranks go from 0 to {}; set both alike in every task", *rank,
        *size, *size - 1));
  }
  Task task;
  task.started_by = dialect ? dialect->name : "RANK and WORLD_SIZE";
  task.rank = *rank;
  task.size = *size;
  const auto one_machine = together(environment, task);
  task.elsewhere = one_machine == false;
  task.addresses = find_addresses(environment, task, one_machine);
  task.port = find_port(environment, dialect);
  return task;
}

bool is_restarted(const Environment& environment) {
  constexpr int kMost = 1'000'000'000;
  constexpr std::array kCounts{"TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"};
  return std::ranges::any_of(kCounts, [&](const char* name) {
    return number(environment, name, 0, kMost).value_or(0) > 0;
  });
}

std::string first_host(std::string_view list) {
  const std::size_t comma = list.find(',');
  const std::size_t bracket = list.find('[');
  if (bracket > comma || bracket == std::string_view::npos)
    return std::string(list.substr(0, comma));
  // `rack[1-3]node[07,09]`: of each bracket the first number.
  std::string host;
  bool inside = false;
  bool first = true;
  for (const char each : list) {
    if (each == '[') {
      inside = first = true;
    } else if (each == ']') {
      inside = false;
    } else if (each == ',' && !inside) {
      break;
    } else if (inside && (each == ',' || each == '-')) {
      first = false;
    } else if (!inside || first) {
      host += each;
    }
  }
  return host;
}

}  // namespace foretrain::exec
