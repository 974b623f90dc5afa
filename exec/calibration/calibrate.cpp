#include "exec/calibration/calibrate.h"

#include "exec/calibration/core_watch.h"
#include "exec/calibration/cores.h"
#include "exec/calibration/disk_costs.h"
#include "exec/calibration/loopback.h"
#include "exec/calibration/memory.h"
#include "exec/calibration/repeater.h"
#include "exec/calibration/single_runs.h"
#include "exec/system/process.h"
#include "exec/system/this_processor.h"
#include "exec/usage/interface.h"
#include "reports/record/interruption.h"
#include "reports/record/not_done.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/prepared.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace foretrain::exec {
namespace {

// A full calibration takes one to two minutes for four models; noise can extend it to three.
constexpr auto kPatience = std::chrono::seconds(90);
// A brief one should end within 45 s, although its first measurements take longer, too.
constexpr auto kBriefPatience = std::chrono::seconds(14);
// Time limit for a model that is added later: half a minute.
constexpr auto kPatienceOfModel = std::chrono::seconds(15);
// Repetitions of trainings, each of which runs until it is steady: half a second or more.
constexpr int kTrainings = 3;

void say(const CalibrateOptions& options, const std::string& what) {
  if (options.progress) options.progress(what);
}

CalibrateOptions patient(CalibrateOptions options, std::chrono::seconds patience) {
  options.patience = std::min(options.patience, std::chrono::steady_clock::now() + patience);
  return options;
}

// The same probes, but each crossing first checks whether the calibration is still wanted.
MessageProbes asking(MessageProbes probes, const CalibrateOptions& options) {
  if (!probes.crossing) return probes;
  probes.crossing = [measure = std::move(probes.crossing), &options] {
    check_wanted(options);
    return measure();
  };
  return probes;
}

CoreWatch watch_of(const Machine& machine, const CalibrateOptions& options) {
  const auto look = [cores = usable_cores()] { return look_at(cores); };
  return CoreWatch(options.look ? options.look : look, machine.cores_seen);
}

// Stores the cores' figures in the machine file; reports a large variation of their speed.
void note_cores(Machine& machine, const CoreWatch& watch, const CalibrateOptions& options) {
  machine.cores_seen = watch.seen();
  const ReferenceTimes& alone = machine.cores_seen.alone;
  const double wander = alone.slowest.seconds() / alone.fastest.seconds() - 1;
  if (wander <= kWander) return;
  say(options,
      fmt::format("the speed of this machine varies by {:.0f} %, so forecasts have a range",
                  100 * wander));
}

void measure_cores(Machine& machine, Repeater& repeater, int core) {
  repeater.measure({{"apply.overhead", &machine.apply.overhead_s, 2e-6, true},
                    {"apply.per_item", &machine.apply.per_item_s, 0, true}},
                   [&] { machine.apply = measure_apply(core); });
  double change_s = 0;
  repeater.measure({{"process_change", &change_s, 1e-6, true}},
                   [&] { change_s = measure_context_switch(core); });
  machine.context_switch = Duration::from_seconds(change_s);
  repeater.measure({{"thread_change", &change_s, 1e-6, true}},
                   [&] { change_s = measure_thread_handoff(core); });
  machine.thread_handoff = Duration::from_seconds(change_s);
  double slice_s = 0;
  repeater.measure({{"slice", &slice_s}}, [&] { slice_s = measure_slice(core); });
  if (slice_s > 0) {
    machine.slice = Duration::from_seconds(slice_s);
  } else {
    machine.not_measured.emplace_back("slice: two busy threads on one core were never interrupted");
  }
}

void measure_caches(Machine& machine, Repeater& repeater, const std::vector<int>& cores) {
  constexpr double kByteFloor_s = 10e-12;
  constexpr double kBackgroundFloor = 4e9;
  CacheSizes sizes = cache_sizes(this_processor());
  if (!sizes.told) {
    machine.not_measured.emplace_back("memory.private_cache: the kernel does not report it");
  }
  sizes.shared = measure_shared_cache(cores.front(), sizes);
  MemoryHierarchy& memory = machine.memory;
  double contention = 1;
  repeater.measure({{"memory.shared_byte", &memory.shared_byte_s, kByteFloor_s, true},
                    {"memory.memory_byte", &memory.memory_byte_s, kByteFloor_s, true},
                    {"memory.copied_byte", &memory.copied_byte_s, kByteFloor_s, true},
                    {"memory.fresh_byte", &memory.fresh_byte_s, kByteFloor_s, true},
                    {"memory.bandwidth", &memory.bandwidth.value},
                    {"memory.neighbours", &memory.background_traffic.value, kBackgroundFloor},
                    {"contention", &contention}},
                   [&] {
                     memory = measure_memory(cores, sizes);
                     if (cores.size() > 1) contention = measure_contention(cores[0], cores[1]);
                     memory.copied_byte_s =
                         measure_cold_byte(cores.front(), {beyond_caches(sizes).value / 2});
                     memory.background_traffic = measure_background_traffic(cores.front(), sizes);
                   });
  machine.contention = std::max(1.0, contention);
}

void measure_into(Machine& machine, const Case& scenario_case, const CalibrateOptions& options,
                  CoreWatch& watch) {
  DataSets data_sets;
  const Prepared prepared = prepare(scenario_case, Need::shape, data_sets);
  const std::string& key = prepared.model_key;
  if (machine.models.contains(key)) return;
  say(options, key + ": training with one worker");
  CalibrateOptions trainings = options;
  trainings.repetitions = std::min(options.repetitions, kTrainings);
  Repeater repeater(machine, trainings, watch);
  const ModelCost cost = measure_model(prepared, machine, trainings, repeater, data_sets);
  machine.models[key] = cost;
  say(options, fmt::format("{}: the fit of gradient times is {:+.1f} % off at batch size {}", key,
                           100 * cost.residual, cost.checked_batch));
}

void measure_emulated(Machine& machine, const CalibrateOptions& options, CoreWatch& watch) {
  std::erase_if(machine.not_measured,
                [](const std::string& what) { return what.starts_with("emulated: "); });
  say(options, "messages between emulated hosts");
  Repeater repeater(machine, options, watch);
  const std::vector<int> cores = usable_cores();
  try {
    ClusterSpec cluster;
    HostSpec& host = cluster.hosts.emplace_back();
    host.name = "host";
    host.count = 2;
    host.nic = {125e6};
    const Hosts hosts(cluster, true);
    const MessageProbes probes = asking(message_probes(cores, hosts), options);
    const OneCore one = repeat_one_core(repeater, "emulated", probes);
    std::optional<Crossing> crossing;
    if (probes.crossing) {
      Crossings crossings(probes.crossing, watch);
      crossings.take(options.repetitions);
      crossing = crossings.median_of_all();
    }
    const TransportCost cost = transport_cost(one, crossing ? &*crossing : nullptr, nullptr);
    machine.emulated = {cost.send, cost.receive};
  } catch (const InputError& error) {
    machine.not_measured.push_back(fmt::format("emulated: {}", error.what()));
    say(options, machine.not_measured.back());
  }
}

}  // namespace

CalibrateOptions brief_calibration() {
  CalibrateOptions options;
  options.repetitions = 3;
  options.shortest_s = 0.3;
  options.longest_s = 1.2;
  options.patience = std::chrono::steady_clock::now() + kBriefPatience;
  return options;
}

void check_wanted(const CalibrateOptions& options) {
  Interruption::check();
  if (options.stopped && options.stopped()) throw NotDone(Outcome::interrupted, "stopped");
}

void calibrate_model(Machine& machine, const Case& scenario_case, const CalibrateOptions& asked) {
  const CalibrateOptions options = patient(asked, kPatienceOfModel);
  CoreWatch watch = watch_of(machine, options);
  measure_into(machine, scenario_case, options, watch);
  note_cores(machine, watch, options);
}

void calibrate_emulation(Machine& machine, const CalibrateOptions& options) {
  CoreWatch watch = watch_of(machine, options);
  measure_emulated(machine, options, watch);
  note_cores(machine, watch, options);
}

Machine calibrate(const std::vector<Case>& cases, const CalibrateOptions& asked) {
  if (const std::string down = loopback_trouble(); !down.empty()) throw InputError(down);
  const CalibrateOptions options = patient(asked, kPatience);
  const std::vector<int> cores = usable_cores();
  Machine machine;
  machine.name = "this machine";
  machine.cores = static_cast<int>(cores.size());
  machine.kernel_set = kernel_set();
  machine.date = fmt::format("{:%Y-%m-%d}", std::chrono::system_clock::now());
  machine.not_measured = {
      "messages between machines: write send and receive for hosts of the cluster", "accelerators"};
  CoreWatch watch = watch_of(machine, options);
  Repeater repeater(machine, options, watch);
  say(options, "messages over loopback");
  const Hosts hosts({}, false);
  Loopback loopback(repeater, watch, asking(message_probes(cores, hosts), options),
                    options.repetitions);
  if (cores.size() < 2)
    machine.not_measured.emplace_back("wake, preempt, contention, resume: these need two cores");
  if (options.emulate) {
    measure_emulated(machine, options, watch);
  } else {
    machine.not_measured.emplace_back("emulated: measured only for commands with --emulate");
  }
  say(options, "caches and memory");
  measure_caches(machine, repeater, cores);
  loopback.cross();
  say(options, "reducing and applying gradients, slices of a shared core");
  measure_cores(machine, repeater, cores[0]);
  loopback.cross();
  if (cores.size() > 1) {
    say(options, "gradients between messages");
    CalibrateOptions trainings = options;
    trainings.repetitions = std::min(options.repetitions, kTrainings);
    Repeater pairs(machine, trainings, watch);
    double resume_s = 0;
    pairs.measure({{"resume", &resume_s, 2e-6, true}},
                  [&] { resume_s = measure_resume(trainings); });
    machine.warm_up = Duration::from_seconds(resume_s);
  }
  say(options, "memory of a node");
  machine.memory_base = measure_base(options);
  measure_disk(machine, options, watch);
  for (const Case& each : cases) {
    measure_into(machine, each, options, watch);
    loopback.cross();
  }
  note_cores(machine, watch, options);
  loopback.put_into(machine);
  settle(machine, watch.settled());
  return machine;
}

}  // namespace foretrain::exec
