#include "exec/launch/task.h"

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <initializer_list>

namespace foretrain::exec {
namespace {

// The variables of a launcher.
struct Dialect {
  const char* name;
  const char* rank;
  const char* size;
  const char* job;  // job name, from which all tasks derive the same port; empty if there is none
  const char* told_by = rank;  // set by this launcher only
};

constexpr Dialect kSlurm{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID"};
constexpr Dialect kOpenMpi{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                           "PMIX_NAMESPACE"};
constexpr Dialect kPals{"PALS", "PALS_RANKID", "PMI_SIZE", "PALS_APID"};

// Inside an allocation of Slurm the others start their processes by a separate step, so they come
// before srun. PMI's variables, those of MPICH's and Intel MPI's mpiexec, are set by others, too.
constexpr Dialect kDialects[] = {{"flux run", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_JOB_ID"},
                                 kOpenMpi,
                                 {"mpirun_rsh", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", ""},
                                 kPals,
                                 {"mpiexec", "PMI_RANK", "PMI_SIZE", "", "MPI_LOCALNRANKS"},
                                 kSlurm,
                                 {"PMI", "PMI_RANK", "PMI_SIZE", ""}};

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

// A launcher's only task does not count: users get their shell on a cluster's machine that way.
std::optional<Dialect> dialect_of(const Environment& environment) {
  for (const Dialect& dialect : kDialects) {
    const auto size = environment(dialect.size);
    const bool all = environment(dialect.rank) && environment(dialect.told_by);
    if (all && size && *size != "1") return dialect;
  }
  return {};
}

// The nearest ancestor without such a variable: the launcher on this machine, whatever shells are
// in between. All tasks of one machine derive the same port from it.
std::string launcher_without(const std::string& variable) {
  const auto has = [&](const std::string& process) {
    std::ifstream variables("/proc/" + process + "/environ");
    std::string each;
    while (std::getline(variables, each, '\0')) {
      if (each.starts_with(variable + "=")) return true;
    }
    return false;
  };
  std::string process = fmt::format("{}", getppid());
  while (has(process)) {
    std::ifstream status("/proc/" + process + "/status");
    std::string word;
    while (status >> word && word != "PPid:") {
    }
    if (!(status >> process)) break;
  }
  return process;
}

// Below the ephemeral ports of a kernel. FNV-1a; any hash that spreads would do.
int port_of_job(const std::string& job) {
  std::uint32_t hash = 2166136261U;
  for (const char each : job) hash = (hash ^ static_cast<unsigned char>(each)) * 16777619U;
  return 20'000 + static_cast<int>(hash % 10'000);
}

int find_port(const Environment& environment, const std::optional<Dialect>& dialect,
              bool one_machine) {
  if (const auto port = number(environment, "MASTER_PORT", 1, 65'535)) return *port;
  auto job = dialect ? environment(dialect->job) : std::nullopt;
  if (!job && dialect && one_machine) job = launcher_without(dialect->rank);
  if (!job) {
    throw InputError(
        "MASTER_PORT is not set: set it, the same in every task, to a free port of the machine of "
        "rank 0");
  }
  const bool step = dialect->name == kSlurm.name;  // a job may have several at a time
  return port_of_job(step ? *job + "." + environment("SLURM_STEP_ID").value_or("") : *job);
}

// Whether all tasks are on one machine; nullopt if that is unknown.
std::optional<bool> together(const Environment& environment, const Task& task) {
  if (task.size == 1) return true;
  for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                           "MV2_COMM_WORLD_LOCAL_SIZE", "PMI_LOCAL_SIZE"}) {
    if (const auto local = environment(name)) return *local == fmt::format("{}", task.size);
  }
  for (const char* name : {"SLURM_STEP_NUM_NODES", "FLUX_JOB_NNODES"}) {
    if (const auto nodes = environment(name)) return *nodes == "1";
  }
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
    // The host of srun: for a batch script that is the first machine, too. For clusters whose node
    // names are no host names.
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
  if (!dialect && environment(kPals.rank) && !environment(kPals.size) && !environment("RANK")) {
    throw InputError(
        fmt::format("{} is set, {} is not: set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in "
                    "every task, or unset it to train on this machine alone",
                    kPals.rank, kPals.size));
  }
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
  task.port = find_port(environment, dialect, one_machine == true);
  return task;
}

void check_known(const std::vector<std::string>& variables) {
  const auto given = [&](std::string_view name) {
    return std::ranges::any_of(variables, [&](const std::string& each) {
      return each.starts_with(name) && each.substr(name.size()).starts_with('=');
    });
  };
  const auto told = [&](const Dialect& each) { return given(each.rank) && given(each.size); };
  if (given("RANK") || given("WORLD_SIZE") || std::ranges::any_of(kDialects, told)) return;
  // The first variable with such a name that is a number of at least `least`.
  const auto find = [&](std::initializer_list<std::string_view> ends, int least) {
    return std::ranges::find_if(variables, [&](const std::string& each) {
      const std::size_t equals = each.find('=');
      const std::string_view name = std::string_view(each).substr(0, equals);
      const auto ends_so = [&](std::string_view end) { return name.ends_with(end); };
      int value = -1;
      if (equals == std::string::npos || std::ranges::none_of(ends, ends_so)) return false;
      const char* end = each.data() + each.size();
      const auto read = std::from_chars(each.data() + equals + 1, end, value);
      return read.ec == std::errc{} && read.ptr == end && value >= least;
    });
  };
  const auto rank = find({"_RANK", "_RANKID"}, 0);
  const auto size = find({"_SIZE", "_NPROCS"}, 2);
  if (rank == variables.end() || size == variables.end()) return;
  throw InputError(fmt::format(
      "{} beside {}: this seems to be a task of an unknown launcher, and each task would train "
      "alone; set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in every task, or unset {} to "
      "train on this machine alone",
      *rank, *size, rank->substr(0, rank->find('='))));
}

std::optional<Task> own_task() {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
  check_known(variables);
  return read_task(process_environment);
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
  // `rack[1-3]node[07,09]`: takes the first number of each bracket.
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
