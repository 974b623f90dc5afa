// Costs of a model from gradient times of records or tables.
#include "exec/calibration/calibrate_from.h"

#include "models/networks/registry.h"
#include "reports/record/files.h"
#include "reports/record/statistics.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/language/units.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/batch_times.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/prepared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

namespace foretrain::exec {
namespace {
namespace fs = std::filesystem;

constexpr const char* kModelOption = "--model";

[[noreturn]] void refuse(const std::string& source, const std::string& what) {
  throw InputError(fmt::format("{}: {}", source, what));
}

/// The figures of all sources together.
struct Gathered {
  std::string model;                ///< model key
  std::string model_said;           ///< source of the model's name
  BatchTimes gradients;             ///< seconds, by batch size
  std::vector<double> evaluations;  ///< seconds per example
  std::string machine;              ///< from a record, or the name of a table
  std::string kernel_set;           ///< common to all records that were read
  CheckpointTotals checkpoints;     ///< from records
};

/// Refuses a record whose times do not belong to its model alone on its machine.
void check_alone(const std::string& folder, const Record& record) {
  const Scenario& scenario = record.scenario_case.scenario;
  const auto timed = [](const HostSpec& host) { return host.compute.has_value(); };
  if (scenario.model.profiled())
    refuse(folder, "its model is a profile, which has times of its own; use a record of a network");
  if (const int workers = node_counts(scenario).workers; workers != 1) {
    refuse(folder,
           fmt::format("{} workers; use a record of one: training.strategy=single", workers));
  }
  if (!scenario.stragglers.empty() || !scenario.faults.empty()) {
    refuse(folder, "stragglers or faults slow its steps; use a record without");
  }
  if (std::ranges::any_of(scenario.cluster.hosts, timed)) {
    refuse(folder, "its gradients have a fixed time (compute:); use a record without");
  }
  if (scenario.training.accumulate > 1) {
    refuse(folder, "its gradients are of several batches (accumulate:); use a record with one");
  }
  if (scenario.framework != FrameworkSpec{}) {
    refuse(folder, "its steps contain the overhead of framework:; use a record without");
  }
  if (scenario.dataset.input.costs()) {
    refuse(folder, "its steps wait for input (dataset.parse, ...); use a record without");
  }
  if (!scenario.colocated_jobs.empty()) {
    refuse(folder, "neighbours slow its steps; use a record without");
  }
  if (record.step_totals) {
    refuse(folder, "is a summary without steps; record them: leave --record summary out");
  }
  if (record.steps.empty()) refuse(folder, "has no completed steps; use a record with steps");
}

void name_model(Gathered& gathered, const std::string& model, const std::string& said) {
  if (gathered.model.empty()) {
    gathered.model = model;
    gathered.model_said = said;
  }
  if (gathered.model == model) return;
  refuse(said, fmt::format("the model is {}, but {} says {}; calibrate one model at a time", model,
                           gathered.model_said, gathered.model));
}

void add_record(Gathered& gathered, const std::string& folder) {
  const Record record = read_record(folder);
  check_alone(folder, record);
  const Case& scenario_case = record.scenario_case;
  const Prepared prepared = prepare(scenario_case, Need::shape);
  name_model(gathered, prepared.network_key, folder);
  if (gathered.machine.empty()) gathered.machine = record.machine;
  if (gathered.kernel_set.empty()) gathered.kernel_set = record.kernel_set;
  if (gathered.kernel_set != record.kernel_set) {
    refuse(
        folder,
        fmt::format("was computed with {}, but another record with {}; use records of one machine",
                    record.kernel_set, gathered.kernel_set));
  }
  std::vector<double>& times = gathered.gradients[scenario_case.scenario.training.batch_size];
  times.reserve(times.size() + record.steps.size());
  for (const StepRow& row : record.steps) times.push_back(row.report.phases.compute.seconds());
  for (const EvalReport& eval : record.evals) {
    if (prepared.training->test_examples == 0) break;
    const auto examples = static_cast<double>(prepared.training->test_examples);
    gathered.evaluations.push_back(eval.took.seconds() / examples);
  }
  gathered.checkpoints.count += record.checkpoints.count;
  gathered.checkpoints.size += record.checkpoints.size;
  gathered.checkpoints.time += record.checkpoints.time;
}

void add_table(Gathered& gathered, const std::string& path) {
  for (const auto& [examples, times] : read_batch_times(path)) {
    auto& all = gathered.gradients[examples];
    all.insert(all.end(), times.begin(), times.end());
  }
  if (gathered.machine.empty()) gathered.machine = fs::path(path).stem().string();
}

Gathered gather(const Measurements& measurements) {
  Gathered gathered;
  if (!measurements.model.empty()) name_model(gathered, measurements.model, kModelOption);
  if (measurements.scenario_case) {
    const Case& scenario_case = *measurements.scenario_case;
    if (scenario_case.scenario.model.profiled()) {
      refuse(scenario_case.scenario.name, "a profile has times of its own; name a network");
    }
    name_model(gathered, prepare(scenario_case, Need::shape).network_key,
               scenario_case.scenario.name);
  }
  for (const std::string& source : measurements.from) {
    std::error_code ignored;
    if (fs::is_directory(source, ignored)) {
      add_record(gathered, source);
    } else {
      add_table(gathered, source);
    }
  }
  if (gathered.model.empty()) {
    refuse(measurements.from.front(),
           "a table does not name its model; name it (--model 'lenet 784x10'), or give a scenario "
           "with that model");
  }
  return gathered;
}

/// `784x10`, possibly followed by a space and more text.
bool begins_with_shape(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t cross = text.find_first_not_of(kDigits);
  if (cross == 0 || cross == std::string_view::npos || text[cross] != 'x') return false;
  const std::string_view classes = text.substr(cross + 1);
  const std::size_t end = std::min(classes.find_first_not_of(kDigits), classes.size());
  return end > 0 && (end == classes.size() || classes[end] == ' ');
}

/// Refuses a model name that no scenario has: it would never be used.
void check_model(const std::string& model) {
  const std::vector<std::string> names = network_names();
  const std::string word = model.substr(0, model.find(' '));
  const std::string name = word.substr(0, word.find('-'));  // in mlp-300-100, layers-1f3c5a70
  const bool known = name == "layers" || std::ranges::find(names, name) != names.end();
  const bool whole = word.size() < model.size() &&
                     begins_with_shape(std::string_view(model).substr(word.size() + 1));
  if (known && whole) return;
  const std::string near = known ? std::string() : nearest(name, names);
  refuse("--model " + model,
         fmt::format(
             "no scenario has such a model; {}write one of {}, then its inputs and classes: 'lenet "
             "784x10'",
             near.empty() ? "" : fmt::format("did you mean {}? ", near), fmt::join(names, ", ")));
}

/// The straight line through two batch sizes; nullopt if a coefficient would be negative.
std::optional<AffineCost> line_through_times(const BatchTime& a, const BatchTime& b) {
  const double slope_s = (b.time - a.time).seconds() / (b.examples - a.examples);
  const double overhead_s = a.time.seconds() - slope_s * a.examples;
  if (slope_s < 0 || overhead_s < 0) return std::nullopt;
  return AffineCost{overhead_s, slope_s};
}

/// From the batch sizes with enough gradients.
std::optional<double> jitter_of(const BatchTimes& gradients) {
  constexpr std::size_t kEnough = 8;
  constexpr double kQuartiles = 1.349;  // of a normal, in standard deviations
  std::vector<double> jitters;
  for (const auto& [examples, times] : gradients) {
    const double low_s = quantile(times, 0.25).value();
    if (times.size() < kEnough || low_s <= 0) continue;
    jitters.push_back(std::log(quantile(times, 0.75).value() / low_s) / kQuartiles);
  }
  const auto middle = median(jitters);
  return middle ? std::optional(std::min(1.0, *middle)) : std::nullopt;
}

std::vector<BatchTime> medians_of(const BatchTimes& gradients) {
  std::vector<BatchTime> rows;
  rows.reserve(gradients.size());
  for (const auto& [examples, times] : gradients) {
    rows.push_back({examples, Duration::from_seconds(median(times).value())});
  }
  return rows;
}

/// The cost of the model; the notes name what is not measured.
ModelCost cost_of(const Gathered& gathered, const ModelCost& known,
                  std::vector<std::string>& notes) {
  ModelCost cost;
  const std::vector<BatchTime> rows = medians_of(gathered.gradients);
  for (const BatchTime& row : rows) {
    notes.push_back(fmt::format("{}, batch {}: {:.4g} ms, median of {}", gathered.model,
                                row.examples, row.time.seconds() * 1e3,
                                gathered.gradients.at(row.examples).size()));
  }
  const auto line = rows.size() == 2 ? line_through_times(rows[0], rows[1]) : std::nullopt;
  if (line) {
    cost.gradient = *line;
  } else {
    cost.gradient_times = rows;
  }
  if (rows.size() == 1) {
    notes.emplace_back(
        "Only one batch size: others are scaled in proportion; measure a second one.");
  }
  const auto jitter = jitter_of(gathered.gradients);
  cost.gradient_jitter = jitter.value_or(known.gradient_jitter);
  const auto evaluate_s = median(gathered.evaluations);
  cost.evaluate = evaluate_s ? AffineCost{0, *evaluate_s} : known.evaluate;
  const auto not_measured = [&](const char* what, bool otherwise_known) {
    notes.push_back(
        fmt::format("Not measured: {}; {}.", what,
                    otherwise_known ? "the value of the machine file is used" : "none is assumed"));
  };
  if (!jitter) not_measured("the variation of gradient times", known.gradient_jitter > 0);
  if (!evaluate_s) not_measured("evaluations", known.evaluate != AffineCost{});
  return cost;
}

/// Reports the time of the records' checkpoints as a rate, since all states of one model have about
/// the same size. It belongs into a scenario, not into a machine file, whose disk figures serve
/// states of any size.
void note_checkpoints(const CheckpointTotals& all, std::vector<std::string>& notes) {
  if (all.count == 0 || all.time.ns <= 0) return;
  constexpr double kLeast = 1'000;  // bit/s; rates are rounded to multiples of it
  const double bits_a_s = 8 * static_cast<double>(all.size.value) / all.time.seconds();
  const double rounded = std::max(kLeast, std::round(bits_a_s / kLeast) * kLeast);
  const auto count = static_cast<double>(all.count);
  notes.push_back(fmt::format(
      "Checkpoints: {} MB and {} ms each (mean of {}). To forecast with this, write "
      "checkpoint.write_rate: {}, write_latency: 0 s in the scenario; otherwise disk: of the "
      "machine file is used.",
      figure(static_cast<double>(all.size.value) / 1e6 / count),
      figure(all.time.seconds() * 1e3 / count), all.count, to_text(BytesPerSecond{rounded / 8})));
}

}  // namespace

MachineFrom machine_from(const Measurements& measurements) {
  const Gathered gathered = gather(measurements);
  MachineFrom result;
  Machine& machine = result.machine;
  if (measurements.machine.empty()) {
    machine.name = gathered.machine;
    machine.kernel_set = gathered.kernel_set;
  } else {
    machine = read_machine(measurements.machine);
  }
  const bool own_name = gathered.model_said == kModelOption;
  if (own_name && !machine.models.contains(gathered.model)) check_model(gathered.model);
  const ModelCost known = machine.models[gathered.model];
  machine.models[gathered.model] = cost_of(gathered, known, result.notes);
  note_checkpoints(gathered.checkpoints, result.notes);
  if (measurements.machine.empty()) {
    result.notes.emplace_back(
        "Not measured: cores, messages, apply, slice, contention, memory_base; the file has "
        "defaults (one core; messages and apply take no time). Give a machine file with --machine "
        "for measured ones.");
  } else if (!gathered.kernel_set.empty() && machine.kernel_set != gathered.kernel_set) {
    result.notes.push_back(
        fmt::format("The record was computed with {} kernels, but {} was measured with {}.",
                    gathered.kernel_set, measurements.machine,
                    machine.kernel_set.empty() ? "unknown ones" : machine.kernel_set));
  }
  return result;
}

std::vector<std::string> calibrate_from(const fs::path& out, const Measurements& measurements) {
  if (out.empty()) {
    throw InputError("calibrate --from: no file to write; name one: --out FILE");
  }
  MachineFrom made = machine_from(measurements);
  if (out.has_parent_path()) prepare_folder(out.parent_path());
  write_text_file(out, to_yaml(made.machine));
  return std::move(made.notes);
}

}  // namespace foretrain::exec
