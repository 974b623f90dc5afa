#include "exec/launch/run.h"

#include "exec/emulation/hosts.h"
#include "exec/launch/control.h"
#include "exec/launch/descriptors.h"
#include "exec/launch/door.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/launcher.h"
#include "exec/launch/node_main.h"
#include "exec/launch/rendezvous.h"
#include "exec/launch/this_program.h"
#include "exec/system/core_probe.h"
#include "exec/system/others_use.h"
#include "exec/system/pause_probes.h"
#include "exec/system/process.h"
#include "models/networks/registry.h"
#include "reports/record/interruption.h"
#include "scenarios/describe/reader.h"
#include "scenarios/emulated.h"
#include "scenarios/faults.h"
#include "scenarios/input_error.h"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {

using boost::asio::ip::tcp;

// Every rank asks, so that none waits for one that has refused.
void check_trainable(const Case& scenario_case, bool emulated) {
  const Scenario& scenario = scenario_case.scenario;
  const auto fail = [&](const std::string& key, const std::string& what) {
    fail_at(scenario_case.place_of(key), key, what);
  };
  if (scenario.model.profiled()) {
    fail("model.profile", "a profile has times, no layers to train; simulate it");
  }
  if (scenario.training.compression.only_sizes()) {
    fail(
        "training.compression.kind",
        "ratio has sizes alone, no numbers that could be sent; simulate it, or write fp16 or topk");
  }
  if (scenario.training.shard != TrainingSpec{}.shard) {
    fail("training.shard",
         fmt::format("{} in parts are forecast, not carried out; simulate it, or write {}",
                     scenario.training.shard, TrainingSpec{}.shard));
  }
  if (scenario.training.local_sum) {
    fail("training.local_sum",
         "sums of a host's workers are forecast, not carried out; simulate it, or write off");
  }
  const auto only_simulated = [&](const std::string& key, bool given) {
    if (given) fail(key, fmt::format("only simulate knows it; --set {}=null removes it", key));
  };
  only_simulated("framework", scenario.framework != FrameworkSpec{});
  only_simulated("neighbours", !scenario.neighbours.empty());
  only_simulated("dataset.served_by", !scenario.dataset.input.served_by.empty());
  only_simulated("dataset.read_rate", scenario.dataset.input.read_rate.value > 0);
  only_simulated("dataset.parse", scenario.dataset.input.parse.ns > 0);
  only_simulated("dataset.held_size", scenario.dataset.input.held_size.value > 0);
  for (std::size_t i = 0; i < scenario.cluster.hosts.size(); ++i) {
    only_simulated(fmt::format("cluster.hosts[{}].mtbf", i), scenario.cluster.hosts[i].mtbf.ns > 0);
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const std::string key = fmt::format("faults[{}].", i);
    const bool cut = !scenario.faults[i].cut.empty();
    if (emulated || (!cut && scenario.faults[i].slow.empty())) continue;
    fail(key + (cut ? "cut" : "slow"),
         "a run touches no links but those that it makes itself; add --emulate (as root), or write "
         "stop, or kill");
  }
}

// What signals do, where somebody else starts the processes. `advice`: who did, what to do.
void check_signals(const Case& scenario_case, std::string_view advice) {
  const auto fail = [&](const std::string& key, std::string_view what) {
    fail_at(scenario_case.place_of(key), key,
            fmt::format("only who starts a process can {} it, and here {}", what, advice));
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

// What the launcher does between two trainings takes a while: it forecasts.
constexpr Duration kBetweenTrainings{3'600'000'000'000};

// Forecasts of tasks are of hosts that are described.
void check_described(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    if (!each.scenario.cluster.hosts.empty()) continue;
    fail_at(
        each.place_of("cluster"), "cluster",
        "is missing, and the tasks' machines are to be forecast; `calibrate --cluster`, started "
        "like this, writes it");
  }
}

// Those that its nodes are pinned to. Where that is one alone, or none, all that they may use: how
// far apart these are is a matter of the machine's moment, too.
std::vector<int> cores_of(const Prepared& prepared) {
  std::vector<int> usable = usable_cores();
  std::set<int> used;
  for (const Seat& seat : seats_of(prepared, usable)) {
    used.insert(seat.cores.begin(), seat.cores.end());
  }
  if (used.size() < 2 || !prepared.scenario_case.scenario.transport.pin) return usable;
  return {used.begin(), used.end()};
}

// Before anything is opened.
void allow_connections(const Prepared& prepared, const RunOptions& options) {
  const bool one = prepared.scenario_case.scenario.cluster.hosts.empty() && !options.hosts;
  const std::size_t hosts = one ? 1 : prepared.places.size();  // at most
  allow_descriptors(descriptors_need(*prepared.training, hosts));
}

// What was seen at pauses, as looks at the cores that know some of it alone.
std::vector<CoreProbe> probes_of(const PauseProbes& pauses, double shared_line_s,
                                 const KnownHandovers& known) {
  std::vector<CoreProbe> probes;
  for (const PauseProbes::Sample& sample : pauses.samples()) {
    CoreProbe& probe = probes.emplace_back();
    // Another core was busy where it answered: it polled.
    (sample.handover_s > 0 ? probe.together_s : probe.alone_s) = sample.reference_s;
    probe.handover_s = sample.handover_s;
    if (sample.handover_s > 0) {
      probe.distance = distance_of({sample.handover_s, 0}, shared_line_s, known);
    }
  }
  return probes;
}

// Cores are looked at where all of them are this machine's.
Record train(const Prepared& prepared, const RunOptions& options, const Meeting& meeting) {
  allow_connections(prepared, options);
  std::vector<CoreProbe> probes;
  const auto look = [&, cores = cores_of(prepared)] {
    if (options.probe && !options.elsewhere())
      probes.push_back(probe_cores(cores, options.handovers));
  };
  look();
  std::optional<PauseProbes> pauses;
  if (!probes.empty()) pauses.emplace(static_cast<std::size_t>(prepared.training->nodes())).show();
  std::optional<OthersUse> others;
  if (!options.elsewhere()) others.emplace();
  const Interruption interruption;
  Launcher::Ended ended = Launcher(prepared, options, meeting).run();
  Record& record = ended.record;
  if (pauses) {
    std::ranges::copy(probes_of(*pauses, probes.front().shared_line_s, options.handovers),
                      std::back_inserter(probes));
  }
  if (others) record.others_used = others->share().value_or(-1);
  if (record.outcome == Outcome::done) look();
  record.probes = std::move(probes);
  ended.rows->end(record);
  return std::move(record);
}

}  // namespace

Record run(const Case& scenario_case, const RunOptions& options) {
  check_trainable(scenario_case, options.emulate);
  const Traces traces(scenario_case);  // what is wrong with them is told before any node starts
  const bool described = !scenario_case.scenario.cluster.hosts.empty();
  if (options.task) {
    if (options.emulate) {
      throw InputError(
          "--emulate: makes all hosts on this machine, but a launcher has started the tasks; start "
          "one process, or leave --emulate out");
    }
    check_signals(scenario_case, "a launcher did; remove it, or start one process");
    const Meeting meeting = arrange(options);
    return train(prepare(scenario_case, Need::shape), options, meeting);
  }
  const auto task = options.by_itself ? std::nullopt : own_task();
  if (task && task->size > 1) {
    throw InputError(
        "of the commands that train, srun and mpirun can start `run`, `validate` and `calibrate "
        "--cluster` alone");
  }
  if (options.hosts) check_signals(scenario_case, "ssh did; remove it, or leave --hosts out");
  if (described && !options.emulate && !options.hosts) {
    throw InputError(
        "cluster: describes other machines, and run trains on this one; give --emulate to make "
        "networks here that stand for them, leave cluster: out (--set cluster=null), or simulate");
  }
  if (options.emulate) check_emulated(scenario_case.scenario.cluster);
  const tcp::endpoint here(
      boost::asio::ip::make_address(options.hosts ? options.hosts->address : "127.0.0.1"),
      static_cast<std::uint16_t>(options.port));
  Meeting meeting{here, {JobKey::random()}};
  meeting.known.tls = make_tls(options.tls, meeting.known.key);
  return train(prepare(scenario_case, Need::shape), options, meeting);
}

std::optional<int> take_part(const std::vector<Case>& cases, RunOptions& options,
                             Trainings trainings) {
  const bool as_told = trainings == Trainings::as_told;
  if (options.hosts) {
    check_hosts(cases, *options.hosts);
    options.join_timeout = read_join_limit(process_environment).value_or(options.join_timeout);
    return {};
  }
  options.task = own_task();
  if (!options.task && !options.job_key.empty()) {
    throw InputError(fmt::format(
        "--job-key {}: nobody would be asked for it: here one process starts all nodes, and draws "
        "their key itself; leave it out, or start tasks that meet by it: srun, mpirun, or RANK and "
        "WORLD_SIZE",
        options.job_key));
  }
  // A launcher's lone task is this machine alone, but to `run`, which meets nobody then.
  if (options.task && options.task->size == 1 && as_told) options.task.reset();
  if (!options.task) return {};
  if (options.max_restarts > 0) {
    throw InputError(
        "--max-restarts: only who starts processes can start them again, and here a launcher did; "
        "leave it out, and have that start all tasks again (torchrun --max-restarts, sbatch "
        "--requeue): the run then goes on from its checkpoint");
  }
  const Task& task = *options.task;
  options.join_timeout = read_join_limit(process_environment).value_or(options.join_timeout);
  options.tls = read_tls(options.tls, process_environment);
  check_size(cases, task);
  for (const Case& each : cases) check_trainable(each, options.emulate);
  if (as_told) {
    check_described(cases);
    if (options.tls.on) {
      throw InputError("FORETRAIN_TLS: a forecast counts no encryption; set it to off");
    }
  }
  if (task.rank == 0) return {};
  Joining joining;
  joining.id = NodeId(static_cast<std::uint32_t>(task.rank));
  joining.limit = options.join_timeout;
  joining.is_task = true;
  for (std::size_t done = 0; as_told || done < cases.size();) {
    const Meeting meeting = arrange(options);
    joining.launcher = meeting.place;
    joining.known = meeting.known;
    const NodeEnded ended = node_until_told(joining);
    // Before the first training alone: from then on all have the same.
    if (!ended.kernels.empty()) begin_again_with(ended.kernels, words_of_command());
    if (ended.status != 0 || !ended.trained) return ended.status;
    if (as_told) joining.limit = kBetweenTrainings;
    ++done;
    // To begin again later would be to count the trainings anew.
    setenv(kKernelsVariable, std::string(kernel_set()).c_str(), 0);
  }
  return 0;
}

// Who does not come any more is not waited for longer than at the beginning.
Dismissal::~Dismissal() {
  if (!options_.task) return;
  try {
    const Meeting meeting = arrange(options_);
    boost::asio::io_context loop(1);
    Hosts here({}, false);
    const auto others = static_cast<std::size_t>(options_.task->size - 1);
    Door door(loop, meeting.known, others);
    if (!door.listen(here, meeting.place).empty()) return;
    std::set<std::uint32_t> told;
    door.open(
        [&](const std::shared_ptr<Connection>& task, std::uint32_t rank) {
          send_text(*task, ControlKind::exit, NodeId(kLauncher), name_of(Outcome::done));
          task->close_when_drained();
          told.insert(rank);
          if (told.size() == others) loop.stop();
        },
        [](const std::string& /*peer*/, const Refused& /*refused*/) {});
    loop.run_for(std::chrono::nanoseconds(options_.join_timeout.ns));
  } catch (const std::exception&) {
    return;  // they end by themselves, later
  }
}

}  // namespace foretrain::exec
