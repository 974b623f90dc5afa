#include "exec/calibration/calibrate.h"

#include "exec/calibration/core_watch.h"
#include "exec/calibration/cores.h"
#include "exec/calibration/memory.h"
#include "exec/calibration/ping_pong.h"
#include "exec/calibration/repeater.h"
#include "exec/calibration/single_runs.h"
#include "exec/system/core_probe.h"
#include "exec/system/process.h"
#include "exec/system/processor.h"
#include "scenarios/input_error.h"
#include "scenarios/prepared.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

namespace foretrain::exec {
namespace {

// What is measured once takes a minute or two for four models; all of it shall be done in three.
constexpr auto kPatience = std::chrono::seconds(90);
// A model that comes later: half a minute.
constexpr auto kPatienceOfModel = std::chrono::seconds(15);
// Of trainings that each go on until they are steady: half a second, or more.
constexpr int kTrainings = 3;

void say(const CalibrateOptions& options, const std::string& what) {
  if (options.progress) options.progress(what);
}

CalibrateOptions patient(CalibrateOptions options, std::chrono::seconds patience) {
  options.patience = std::min(options.patience, std::chrono::steady_clock::now() + patience);
  return options;
}

// Everything but the copy per byte is in microseconds, and noise of one of them decides nothing.
struct Transport {
  TransportCost cost;
  std::optional<CoreDistance> distance;
};
Transport repeat_transport(Repeater& repeater, const std::string& name,
                           const std::function<TransportCost()>& measure) {
  constexpr double kFloor_s = 2e-6;
  constexpr double kByteFloor_s = 30e-12;
  constexpr double kSlice_s = 5e-3;  // later, one time in many, the kernel lets a sleeper look
  TransportCost cost;
  const auto [medians, distance] = repeater.measure_across(
      {{name + ".send.overhead", kFloor_s},
       {name + ".send.per_item", kByteFloor_s},
       {name + ".receive.overhead", kFloor_s},
       {name + ".receive.per_item", kByteFloor_s},
       {name + ".handoff", kFloor_s},
       {name + ".wake", 5 * kFloor_s},
       {name + ".preempt", kSlice_s}},
      [&] {
        cost = measure();
        return std::vector<double>{cost.send.overhead_s,    cost.send.per_item_s,
                                   cost.receive.overhead_s, cost.receive.per_item_s,
                                   cost.handoff.seconds(),  cost.wake.seconds(),
                                   cost.preempt.seconds()};
      });
  cost.send = {medians[0], medians[1]};
  cost.receive = {medians[2], medians[3]};
  cost.handoff = Duration::from_seconds(medians[4]);
  cost.wake = Duration::from_seconds(medians[5]);
  cost.preempt = Duration::from_seconds(medians[6]);
  return {cost, distance};
}

// Messages over loopback, between cores at each distance that is met while the rest is measured.
class Loopback {
 public:
  Loopback(Repeater& repeater, CoreWatch& watch, const CalibrateOptions& options)
      : repeater_(repeater), watch_(watch), options_(options) {}

  void measure() {
    say(options_, "messages over loopback");
    first_ = transport("loopback");
  }
  // Where the cores have moved since.
  void look_again() {
    const auto distance = watch_.look().distance;
    if (other_ || !distance || *distance == CoreDistance::mixed || distance == first_.distance) {
      return;
    }
    say(options_,
        fmt::format("messages over loopback, the cores now being {}", name_of(*distance)));
    const Transport other = transport(fmt::format("loopback, {}", name_of(*distance)));
    if (other.distance == distance) other_ = other;
  }
  void put_into(Machine& machine) const {
    machine.loopback = first_.cost;
    if (!first_.distance) return;
    machine.cores_seen.loopback_distance = name_of(*first_.distance);
    if (!other_ || *first_.distance == CoreDistance::mixed) return;
    const bool near_first = *first_.distance == CoreDistance::near;
    machine.loopback = near_first ? first_.cost : other_->cost;
    machine.loopback_far = near_first ? other_->cost : first_.cost;
    machine.cores_seen.loopback_distance = name_of(CoreDistance::near);
  }

 private:
  [[nodiscard]] Transport transport(const std::string& name) {
    const std::vector<int> cores = usable_cores();
    const int other = cores.size() > 1 ? cores[1] : -1;
    return repeat_transport(repeater_, name,
                            [&] { return measure_transport(cores[0], other, Hosts({}, false)); });
  }

  Repeater& repeater_;
  CoreWatch& watch_;
  const CalibrateOptions& options_;
  Transport first_;
  std::optional<Transport> other_;
};

CoreWatch watch_of(const Machine& machine, const CalibrateOptions& options) {
  const auto look = [cores = usable_cores(), known = machine.cores_seen.handover] {
    return probe_cores(cores, known);
  };
  return CoreWatch(options.look ? options.look : look, machine.cores_seen);
}

// What the machine file says of the cores; with people told where that is much.
void note_cores(Machine& machine, const CoreWatch& watch, const CalibrateOptions& options) {
  machine.cores_seen = watch.seen();
  const ReferenceTimes& alone = machine.cores_seen.alone;
  const double wander = alone.slowest.seconds() / alone.fastest.seconds() - 1;
  if (wander <= kWander) return;
  say(options, fmt::format("this machine's speed wanders by {:.0f} %: forecasts have a range",
                           100 * wander));
}

void measure_cores(Machine& machine, Repeater& repeater, int core) {
  const std::vector<double> apply = repeater.measure(
      {{"apply.overhead", 2e-6, 0.5, true}, {"apply.per_item", 0, 0.5, true}}, [core] {
        const AffineCost once = measure_apply(core);
        return std::vector<double>{once.overhead_s, once.per_item_s};
      });
  machine.apply = {apply[0], apply[1]};
  machine.process_change = Duration::from_seconds(repeater.measure(
      {{"process_change", 1e-6}}, [core] { return std::vector{measure_process_change(core)}; })[0]);
  const double slice_s =
      repeater.measure({{"slice"}}, [core] { return std::vector<double>{measure_slice(core)}; })[0];
  if (slice_s > 0) {
    machine.slice = Duration::from_seconds(slice_s);
  } else {
    machine.not_measured.emplace_back("slice: no gaps were seen in two busy threads");
  }
}

void measure_caches(Machine& machine, Repeater& repeater, const std::vector<int>& cores) {
  constexpr double kByteFloor_s = 10e-12;
  const CacheSizes sizes = cache_sizes(this_processor());
  if (!sizes.told) {
    machine.not_measured.emplace_back("memory.private_cache: not told by the kernel");
  }
  const std::vector<double> medians = repeater.measure(
      {{"memory.shared_byte", kByteFloor_s},
       {"memory.memory_byte", kByteFloor_s},
       {"memory.fresh_byte", kByteFloor_s},
       {"memory.bandwidth"},
       {"contention"}},
      [&] {
        const MemoryHierarchy once = measure_memory(cores, sizes);
        const double contention = cores.size() > 1 ? measure_contention(cores[0], cores[1]) : 1;
        return std::vector<double>{once.shared_byte_s, once.memory_byte_s, once.fresh_byte_s,
                                   once.bandwidth.value, contention};
      });
  machine.memory = {sizes.of_core, sizes.shared, medians[0], medians[1], medians[2], {medians[3]}};
  machine.contention = std::max(1.0, medians[4]);
}

void measure_into(Machine& machine, const Case& scenario_case, const CalibrateOptions& options,
                  CoreWatch& watch) {
  DataSets data_sets;
  const Prepared prepared = prepare(scenario_case, Need::shape, data_sets);
  const std::string& key = prepared.model_key;
  if (machine.models.contains(key)) return;
  say(options, key + ": one worker alone");
  CalibrateOptions trainings = options;
  trainings.repetitions = std::min(options.repetitions, kTrainings);
  Repeater repeater(machine, trainings, watch);
  const ModelCost cost = measure_model(prepared, machine.memory, trainings, repeater, data_sets);
  machine.models[key] = cost;
  say(options, fmt::format("{}: the fit is {:+.1f} % off at batch {}", key, 100 * cost.residual,
                           cost.checked_batch));
}

void measure_emulated(Machine& machine, const CalibrateOptions& options, CoreWatch& watch) {
  std::erase_if(machine.not_measured,
                [](const std::string& what) { return what.starts_with("emulated: "); });
  say(options, "messages between emulated hosts");
  Repeater repeater(machine, options, watch);
  const std::vector<int> cores = usable_cores();
  const int other = cores.size() > 1 ? cores[1] : -1;
  try {
    ClusterSpec cluster;
    HostSpec& host = cluster.hosts.emplace_back();
    host.name = "host";
    host.count = 2;
    host.nic = {125e6};
    const Hosts hosts(cluster, true);
    machine.emulated = repeat_transport(repeater, "emulated", [&] {
                         return measure_transport(cores[0], other, hosts);
                       }).cost;
  } catch (const InputError& error) {
    machine.not_measured.push_back(fmt::format("emulated: {}", error.what()));
    say(options, machine.not_measured.back());
  }
}

}  // namespace

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
  const CalibrateOptions options = patient(asked, kPatience);
  const std::vector<int> cores = usable_cores();
  Machine machine;
  machine.name = "this machine";
  machine.cores = static_cast<int>(cores.size());
  machine.kernel_set = kernel_set();
  machine.date = fmt::format("{:%Y-%m-%d}", std::chrono::system_clock::now());
  machine.not_measured = {"messages between machines: write send, receive at a host of cluster",
                          "accelerators, disks"};
  CoreWatch watch = watch_of(machine, options);
  Repeater repeater(machine, options, watch);
  Loopback loopback(repeater, watch, options);
  loopback.measure();
  if (cores.size() < 2) machine.not_measured.emplace_back("wake, preempt, contention: one core");
  if (options.emulate) {
    measure_emulated(machine, options, watch);
  } else {
    machine.not_measured.emplace_back("emulated: not asked for");
  }
  say(options, "caches and memory");
  measure_caches(machine, repeater, cores);
  say(options, "reducing and applying gradients, slices of a shared core");
  measure_cores(machine, repeater, cores[0]);
  say(options, "memory of a node");
  machine.memory_base = measure_base(options);
  for (const Case& each : cases) {
    loopback.look_again();
    measure_into(machine, each, options, watch);
  }
  loopback.look_again();
  note_cores(machine, watch, options);
  loopback.put_into(machine);
  return machine;
}

}  // namespace foretrain::exec
