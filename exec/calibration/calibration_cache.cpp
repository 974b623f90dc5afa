#include "exec/calibration/calibration_cache.h"

#include "exec/calibration/calibrate.h"
#include "exec/calibration/cores.h"
#include "exec/system/cache_folder.h"
#include "exec/system/processor.h"
#include "exec/transport/build_name.h"
#include "models/base/random.h"
#include "reports/record/files.h"
#include "scenarios/read.h"
#include "scenarios/write_error.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace foretrain::exec {
namespace fs = std::filesystem;

namespace {

constexpr const char* kUsual =
    "foretrain: 1\n"
    "name: calibration\n"
    "sweep:\n"
    "  - grid: {model: [softmax, lenet, lenet_large]}\n"
    "  - {model: sparse_logistic, dataset.format: clicks}\n";

void write_machine(const Machine& machine, const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) fail_to_write(path.string(), error.value());
  write_text_file(path, to_yaml(machine));
}

// The share of this machine that others use, where that is much; else 0.
double share_of_others() {
  constexpr double kTooBusy = 0.1;
  const double busy = busy_share();
  return busy <= kTooBusy ? 0 : std::round(100 * busy) / 100;
}

// The same; says so, and what to do about it.
double others_use(const Tell& tell, const char* advice) {
  const double busy = share_of_others();
  if (busy <= 0) return 0;
  tell(fmt::format("  Others use {:.0f} % of this machine: what is measured now is noisy.",
                   100 * busy));
  tell(advice);
  return busy;
}

constexpr const char* kAgainWhenIdle = "  Try again when it is idle.";
constexpr const char* kAnew = "  `foretrain calibrate` measures anew, when it is idle.";

// Once a process: a sweep asks for the machine in every case.
void tell_noise(const Machine& machine, const Tell& tell) {
  static bool told = false;
  if (machine.others_used <= 0 || std::exchange(told, true)) return;
  tell(fmt::format("This machine's calibration is noisy: others used {:.0f} % of it meanwhile.",
                   100 * machine.others_used));
  tell(kAnew);
}

CalibrateOptions telling(const Tell& tell, bool emulate) {
  CalibrateOptions options;
  options.emulate = emulate;
  options.progress = [&tell](const std::string& what) { tell("  " + what); };
  return options;
}

}  // namespace

fs::path calibration_file() {
  constexpr std::size_t kLongest = 256;
  std::string host(kLongest, '\0');  // a home may be shared by machines
  gethostname(host.data(), host.size() - 1);
  host.resize(host.find('\0'));
  return cache_folder() / calibration_name(host, this_processor(), kMeasured);
}

std::string calibration_name(const std::string& host, const Processor& processor,
                             std::string_view measured) {
  const std::string what = fmt::format("{} {} {} {} {} {} {} {}", measured, processor.name,
                                       processor.family, processor.model, processor.cores,
                                       processor.l1d.value, processor.l2.value, processor.l3.value);
  return fmt::format("{}-{:016x}.yaml", host, Stream(0, what).bits());
}

bool idle(const Tell& tell) { return others_use(tell, kAgainWhenIdle) <= 0; }

Machine cached_machine(const Prepared& prepared, bool emulated, const Tell& tell) {
  if (prepared.training->network->profiled()) {
    throw InputError(
        "cluster: a profile is forecast on machines that are described, not on this one; list them "
        "in cluster.hosts, or name a machine file behind --machine");
  }
  // What cannot be written is good enough for this process: two forecasts of it have to agree.
  static std::mutex mutex;
  static std::map<std::pair<std::string, bool>, Machine> not_kept;  // by model, emulated
  const std::lock_guard lock(mutex);
  const fs::path path = calibration_file();
  const std::string& key = prepared.model_key;
  const std::pair<std::string, bool> what{key, emulated};
  if (const auto known = not_kept.find(what); known != not_kept.end()) return known->second;
  Machine machine;
  const auto complete = [&] {
    return machine.models.contains(key) && (!emulated || machine.emulated != EmulatedCost{});
  };
  if (fs::exists(path)) {
    machine = read_machine(path);
    if (complete()) {
      tell_noise(machine, tell);
      return machine;
    }
    tell(machine.models.contains(key)
             ? "Messages between emulated hosts are not known on this machine yet; measuring them."
             : fmt::format("Nothing is known of {} on this machine yet; measuring it.", key));
  } else {
    tell("This machine is not calibrated yet; that takes two to three minutes and is done once.");
  }
  const double before = others_use(tell, kAnew);
  const CalibrateOptions options = telling(tell, emulated);
  if (machine.models.empty()) {
    machine = calibrate({prepared.scenario_case}, options);
  } else {
    calibrate_model(machine, prepared.scenario_case, options);
    if (!complete()) calibrate_emulation(machine, options);
  }
  machine.others_used = std::max({machine.others_used, before, share_of_others()});
  try {
    write_machine(machine, path);
    tell(fmt::format("  kept in {}", path.string()));
  } catch (const std::exception& error) {
    tell(fmt::format("  not kept: {}", error.what()));
    not_kept[what] = machine;
  }
  return machine;
}

KnownHandovers known_handovers(const fs::path& machine) {
  const fs::path path = machine.empty() ? calibration_file() : machine;
  if (!fs::exists(path)) return {};
  return read_machine(path.string()).cores_seen.handover;
}

std::vector<Case> usual_cases() { return parse_scenario(kUsual, "calibration"); }

fs::path calibrate_to(const fs::path& out, const std::vector<Case>& cases, const Tell& tell) {
  fs::path path = out.empty() ? calibration_file() : out;
  // A place that cannot be written is told before anything is measured.
  write_machine(Machine{}, path.string() + ".probe");
  fs::remove(path.string() + ".probe");
  const double before = others_use(tell, kAgainWhenIdle);
  Machine machine = calibrate(cases.empty() ? usual_cases() : cases, telling(tell, true));
  machine.others_used = std::max(before, share_of_others());
  write_machine(machine, path);
  return path;
}

}  // namespace foretrain::exec
