#include "exec/calibration/calibration_cache.h"

#include "exec/calibration/calibrate.h"
#include "exec/calibration/cores.h"
#include "exec/system/cache_folder.h"
#include "exec/system/this_processor.h"
#include "exec/transport/build_name.h"
#include "models/base/random.h"
#include "reports/record/files.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>

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

// The share of this machine that others use, if it is large; else 0.
double share_of_others() {
  constexpr double kTooBusy = 0.1;
  const double busy = busy_share();
  return busy <= kTooBusy ? 0 : std::round(100 * busy) / 100;
}

// As share_of_others; reports it, with advice.
double others_use(const Tell& tell, const char* advice) {
  const double busy = share_of_others();
  if (busy <= 0) return 0;
  tell(fmt::format(
      "  Other programs take {:.0f} % of this machine: what is measured now is inaccurate.",
      100 * busy));
  tell(advice);
  return busy;
}

constexpr const char* kAgainWhenIdle = "  Try again when it is idle.";
constexpr const char* kAnew = "  Run `foretrain calibrate` again when it is idle.";

// Once per process: a sweep asks for the machine in every case.
void tell_noise(const Machine& machine, const Tell& tell) {
  static std::atomic<bool> told{false};
  if (machine.others_used <= 0 || told.exchange(true)) return;
  tell(fmt::format(
      "This machine's calibration is inaccurate: other programs took {:.0f} % of it meanwhile.",
      100 * machine.others_used));
  tell(kAnew);
}

// The figures of this machine that a forecast of the case needs.
struct Wanted {
  std::string model;
  bool emulated;

  [[nodiscard]] bool known_of(const Machine& machine) const {
    return machine.models.contains(model) && (!emulated || machine.emulated != EmulatedCost{});
  }
  bool operator<(const Wanted& other) const {
    return std::tie(model, emulated) < std::tie(other.model, other.emulated);
  }
};

Wanted wanted_by(const Prepared& prepared, bool emulated) {
  if (prepared.training->network->profiled()) {
    throw InputError(
        "cluster: a profile can be forecast only on machines that are described; list them in "
        "cluster.hosts, or give a machine file with --machine");
  }
  return {prepared.model_key, emulated};
}

// Machines that could not be written, for this process: its forecasts must agree with each other.
class NotWritten {
 public:
  [[nodiscard]] std::optional<Machine> find(const Wanted& wanted) {
    const std::lock_guard lock(mutex_);
    const auto known = machines_.find(wanted);
    if (known == machines_.end()) return std::nullopt;
    return known->second;
  }
  void keep(const Wanted& wanted, const Machine& machine) {
    const std::lock_guard lock(mutex_);
    machines_[wanted] = machine;
  }

 private:
  std::mutex mutex_;  // guards machines_
  std::map<Wanted, Machine> machines_;
};

NotWritten& not_written() {
  static NotWritten machines;
  return machines;
}

// Reports the missing part of the cached machine, if there is one.
void tell_missing(const Wanted& wanted, const std::optional<Machine>& kept, const Tell& tell) {
  if (!kept) {
    tell("This machine is not calibrated yet; this is done once and takes about a minute.");
  } else if (kept->models.contains(wanted.model)) {
    tell("Messages between emulated hosts were not measured on this machine yet; measuring them.");
  } else {
    tell(fmt::format("{} was not measured on this machine yet; measuring it.", wanted.model));
  }
}

CalibrateOptions telling(CalibrateOptions options, const Tell& tell, bool emulate) {
  options.emulate = emulate;
  options.progress = [&tell](const std::string& what) { tell("  " + what); };
  return options;
}

}  // namespace

fs::path calibration_file() {
  constexpr std::size_t kLongest = 256;
  std::string host(kLongest, '\0');  // a home directory may be shared by several machines
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

std::optional<Machine> kept_machine(const Prepared& prepared, bool emulated, const Tell& tell) {
  const Wanted wanted = wanted_by(prepared, emulated);
  if (auto machine = not_written().find(wanted)) return machine;
  const fs::path path = calibration_file();
  if (!fs::exists(path)) return std::nullopt;
  Machine machine = read_machine(path);
  if (!wanted.known_of(machine)) return std::nullopt;
  tell_noise(machine, tell);
  return machine;
}

Machine cached_machine(const Prepared& prepared, bool emulated, const Tell& tell,
                       const std::function<bool()>& stopped) {
  static std::mutex measuring;  // two concurrent calibrations would disturb each other
  const std::lock_guard lock(measuring);
  if (const auto kept = kept_machine(prepared, emulated, tell)) return *kept;
  const Wanted wanted = wanted_by(prepared, emulated);
  const fs::path path = calibration_file();
  std::optional<Machine> part;  // the cached part of the figures
  if (fs::exists(path)) part = read_machine(path);
  tell_missing(wanted, part, tell);
  const double before = others_use(tell, kAnew);
  CalibrateOptions options = telling(brief_calibration(), tell, emulated);
  options.stopped = stopped;
  Machine machine = part.value_or(Machine{});
  if (machine.models.empty()) {
    machine = calibrate({prepared.scenario_case}, options);
  } else {
    calibrate_model(machine, prepared.scenario_case, options);
    if (!wanted.known_of(machine)) calibrate_emulation(machine, options);
  }
  machine.others_used = std::max({machine.others_used, before, share_of_others()});
  try {
    write_machine(machine, path);
    tell(fmt::format("  written to {}", path.string()));
  } catch (const std::exception& error) {
    tell(fmt::format("  could not be written: {}", error.what()));
    not_written().keep(wanted, machine);
  }
  return machine;
}

void forget_noisy(const Tell& tell) {
  const fs::path path = calibration_file();
  if (!fs::exists(path)) return;
  const double used = read_machine(path).others_used;
  if (used <= 0 || share_of_others() > 0) return;
  tell(fmt::format(
      "Other programs took {:.0f} % of this machine while it was calibrated. It is idle now, so it "
      "is measured again.",
      100 * used));
  fs::remove(path);
}

std::vector<Case> usual_cases() { return parse_scenario(kUsual, "calibration"); }

fs::path calibrate_to(const fs::path& out, const std::vector<Case>& cases, const Tell& tell) {
  fs::path path = out.empty() ? calibration_file() : out;
  // Reports a path that cannot be written before anything is measured.
  write_machine(Machine{}, path.string() + ".probe");
  fs::remove(path.string() + ".probe");
  const double before = others_use(tell, kAgainWhenIdle);
  Machine machine = calibrate(cases.empty() ? usual_cases() : cases, telling({}, tell, true));
  machine.others_used = std::max(before, share_of_others());
  write_machine(machine, path);
  return path;
}

}  // namespace foretrain::exec
