#include "exec/launch/start.h"

#include "exec/launch/control.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/managed_node.h"
#include "exec/launch/remote_node.h"
#include "exec/launch/run.h"
#include "exec/launch/task_start.h"
#include "exec/system/process.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/emulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace foretrain::exec {
namespace {

class HereStart : public Start {
 public:
  HereStart(TlsChoice tls, bool measures) : Start(std::move(tls)), measures_(measures) {}

  void check(const Case& scenario_case, const RunOptions& options) const override {
    const auto task = measures_ ? std::nullopt : own_task();
    if (task && task->size > 1) {
      throw InputError(
          "srun and mpirun can start only `run`, `validate` and `calibrate --cluster`; start this "
          "command without them");
    }
    const ClusterSpec& cluster = scenario_case.scenario.cluster;
    if (options.emulate) return check_emulated(cluster);
    if (cluster.hosts.empty()) return;
    throw InputError(
        "cluster: describes other machines, but run trains on this one; give --emulate to emulate "
        "their network here, leave cluster: out (--set cluster=null), or simulate");
  }

  [[nodiscard]] Meeting meet(Duration /*limit*/, int port) const override {
    return meet_at("127.0.0.1", port);
  }
  [[nodiscard]] bool elsewhere() const override { return false; }

 private:
  bool measures_;
};

// Forecasts for tasks need described hosts.
void check_described(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    if (!each.scenario.cluster.hosts.empty()) continue;
    fail_at(each.place_of("cluster"), "cluster",
            "is missing, but describes the tasks' machines for the forecast; `calibrate "
            "--cluster`, started like this, writes it");
  }
}

}  // namespace

std::shared_ptr<Start> start_here(TlsChoice tls, bool measures) {
  return std::make_shared<HereStart>(std::move(tls), measures);
}

void Start::check_signals(const Case& scenario_case, std::string_view advice) {
  const auto fail = [&](const std::string& key, std::string_view what) {
    fail_at(scenario_case.place_of(key), key,
            fmt::format("only the program that started a process can {} it, and here {}", what,
                        advice));
  };
  const Scenario& scenario = scenario_case.scenario;
  for (std::size_t i = 0; i < scenario.stragglers.size(); ++i) {
    if (scenario.stragglers[i].pause.ns > 0) fail(fmt::format("stragglers[{}].pause", i), "pause");
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const std::string key = fmt::format("faults[{}].", i);
    if (!scenario.faults[i].kill.empty()) fail(key + "kill", "end");
    if (!scenario.faults[i].stop.empty()) fail(key + "stop", "stop");
  }
}

Meeting Start::meet_at(const std::string& address, int port) const {
  Meeting meeting{{boost::asio::ip::make_address(address), static_cast<std::uint16_t>(port)},
                  {JobKey::random()}};
  meeting.known.tls = make_tls(tls_, meeting.known.key);
  return meeting;
}

void Start::start(ManagedNode& member, const NodeCommand& command) const {
  std::vector<std::string> words = words_of(command);
  words.insert(words.begin(), command.program.string());
  std::vector<std::string> variables{fmt::format("{}={}", kKeyVariable, command.key.secret())};
  if (!kernels_.empty()) variables.push_back(fmt::format("{}={}", kKernelsVariable, kernels_));
  member.process = start_process(words, member.cores, {}, variables);
}

std::vector<std::string> Start::words_of(const NodeCommand& command) const {
  std::vector<std::string> words = command.words;
  std::ranges::copy(tls_arguments(tls_), std::back_inserter(words));
  return words;
}

std::optional<int> take_part(const std::vector<Case>& cases, const StartOptions& asked,
                             RunOptions& options, Trainings trainings) {
  const bool as_told = trainings == Trainings::as_told;
  options.start = asked.hosts ? start_through_ssh(*asked.hosts, asked.tls) : start_here(asked.tls);
  if (asked.hosts) {
    check_hosts(cases, *asked.hosts);
    options.join_timeout = read_join_limit(process_environment).value_or(options.join_timeout);
    return {};
  }
  const auto task = own_task();
  if (!task && !asked.job_key.empty()) {
    throw InputError(fmt::format(
        "--job-key {}: is not used: here one process starts all nodes and makes their key itself; "
        "leave it out, or start tasks by srun, mpirun, or RANK and WORLD_SIZE",
        asked.job_key));
  }
  // A launcher's only task is this machine alone; except for `run`, where nobody joins it.
  if (!task || (task->size == 1 && as_told)) return {};
  if (options.max_restarts > 0) {
    throw InputError(
        "--max-restarts: the processes were started by a launcher, so only that can restart them; "
        "leave it out, and have the launcher restart all tasks (torchrun --max-restarts, sbatch "
        "--requeue): the run then continues from its checkpoint");
  }
  options.join_timeout = read_join_limit(process_environment).value_or(options.join_timeout);
  const auto start = std::make_shared<TaskStart>(*task, asked.job_key, asked.tls);
  check_size(cases, *task);
  for (const Case& each : cases) check_trainable(each, options.emulate);
  if (as_told) {
    check_described(cases);
    if (start->encrypts()) {
      throw InputError("FORETRAIN_TLS: forecasts do not include encryption; set it to off");
    }
  }
  options.start = start;
  if (task->rank == 0 && as_told) start->dismiss_at_end(options.join_timeout);
  if (task->rank == 0) return {};
  return start->serve(options, as_told ? std::nullopt : std::optional(cases.size()));
}

}  // namespace foretrain::exec
