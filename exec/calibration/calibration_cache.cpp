#include "exec/calibration/calibration_cache.h"

#include "exec/calibration/calibrate.h"
#include "exec/calibration/cores.h"
#include "exec/system/cache_folder.h"
#include "reports/record/files.h"
#include "scenarios/read.h"
#include "scenarios/write_error.h"

#include <fmt/format.h>

#include <unistd.h>

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

// Named after this host and this build: a home may be shared by machines, and a calibration is of
// the program as much as of the machine.
fs::path cache_file() {
  std::string host(256, '\0');
  gethostname(host.data(), host.size() - 1);
  host.resize(host.find('\0'));
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const auto changed = fs::last_write_time(program).time_since_epoch().count();
  return cache_folder() / fmt::format("{}-{:x}.yaml", host, changed);
}

void write_machine(const Machine& machine, const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) fail_to_write(path.string(), error.value());
  write_text_file(path, to_yaml(machine));
}

CalibrateOptions telling(const Tell& tell, bool emulate) {
  CalibrateOptions options;
  options.emulate = emulate;
  options.progress = [&tell](const std::string& what) { tell("  " + what); };
  return options;
}

}  // namespace

bool idle(const Tell& tell) {
  constexpr double kTooBusy = 0.1;
  const double busy = busy_share();
  if (busy <= kTooBusy) return true;
  tell(fmt::format("  Others use {:.0f} % of this machine: what is measured now is off.",
                   100 * busy));
  tell("  Try again when it is idle.");
  return false;
}

Machine cached_machine(const Prepared& prepared, bool emulated, const Tell& tell) {
  if (prepared.training->network->profiled()) {
    throw InputError(
        "cluster: a profile is forecast on machines that are described, not on this one; list them "
        "in cluster.hosts, or name a machine file behind --machine");
  }
  // What was measured while others used the machine is good enough for this process: two forecasts
  // of it have to agree.
  static std::mutex mutex;
  static std::map<std::pair<std::string, bool>, Machine> not_kept;  // by model, emulated
  const std::lock_guard lock(mutex);
  const fs::path path = cache_file();
  const std::string& key = prepared.model_key;
  const std::pair<std::string, bool> what{key, emulated};
  if (const auto known = not_kept.find(what); known != not_kept.end()) return known->second;
  Machine machine;
  const auto complete = [&] {
    return machine.models.contains(key) && (!emulated || machine.emulated != EmulatedCost{});
  };
  if (fs::exists(path)) {
    machine = read_machine(path);
    if (complete()) return machine;
    tell(machine.models.contains(key)
             ? "Messages between emulated hosts are not known on this machine yet; measuring them."
             : fmt::format("Nothing is known of {} on this machine yet; measuring it.", key));
  } else {
    tell("This machine is not calibrated yet; that takes two to three minutes and is done once.");
  }
  const bool keep = idle(tell);
  const CalibrateOptions options = telling(tell, emulated);
  if (machine.models.empty()) {
    machine = calibrate({prepared.scenario_case}, options);
  } else {
    calibrate_model(machine, prepared.scenario_case, options);
    if (!complete()) calibrate_emulation(machine, options);
  }
  if (!keep) {
    tell("  not kept: the next forecast measures again");
    not_kept[what] = machine;
    return machine;
  }
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
  const fs::path path = machine.empty() ? cache_file() : machine;
  if (!fs::exists(path)) return {};
  return read_machine(path.string()).cores_seen.handover;
}

std::vector<Case> usual_cases() { return parse_scenario(kUsual, "calibration"); }

fs::path calibrate_to(const fs::path& out, const std::vector<Case>& cases, const Tell& tell) {
  fs::path path = out.empty() ? cache_file() : out;
  // A place that cannot be written is told before anything is measured.
  write_machine(Machine{}, path.string() + ".probe");
  fs::remove(path.string() + ".probe");
  idle(tell);
  write_machine(calibrate(cases.empty() ? usual_cases() : cases, telling(tell, true)), path);
  return path;
}

}  // namespace foretrain::exec
