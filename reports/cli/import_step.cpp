// The command `import --step`: makes a scenario from a measured step time.
#include "reports/cli/import_command.h"
#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/import/import_job.h"
#include "scenarios/import/measured_step.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

constexpr int kTrialSteps = 6;
constexpr int kJobSteps = 50;
constexpr double kMsOfSecond = 1e3;

/// Parses the text of an option with `read`; an error names the option.
template <class Read>
auto of_option(const char* option, const std::string& text, Read read) {
  try {
    return read(text);
  } catch (const BadValue& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }
}

/// The scenario with a profile as its model, without keys that do not affect a step.
Case job_case(const ImportArguments& arguments) {
  std::vector<std::string> changes{"model={profile: layers.csv}",
                                   "dataset=null",
                                   "numerics=off",
                                   "checkpoint=null",
                                   "faults=null",
                                   "training.epochs=null",
                                   "training.updates=null",
                                   "training.until=null",
                                   "training.init=null",
                                   "training.evaluate_every=null",
                                   fmt::format("training.steps={}", kTrialSteps)};
  if (arguments.batch > 0) {
    changes.push_back(fmt::format("training.batch_size={}", arguments.batch));
  }
  if (arguments.workers) {
    changes.push_back(fmt::format("training.workers={}", *arguments.workers));
  }
  std::vector<Case> cases = read_scenario(arguments.trace, changes);
  if (cases.size() != 1) {
    throw InputError(fmt::format("{}: has {} cases, but the step is of one; remove its sweep",
                                 arguments.trace, cases.size()));
  }
  Case job = std::move(cases.front());
  if (job.scenario.cluster.hosts.empty()) {
    throw InputError(fmt::format(
        "{}: has no cluster, but the time of its messages must be known; list cluster.hosts",
        arguments.trace));
  }
  for (HostSpec& host : job.scenario.cluster.hosts) {
    host.compute.reset();  // the search determines compute time
    std::error_code missing;
    if (fs::exists(host.machine, missing)) host.machine = fs::absolute(host.machine).string();
  }
  return job;
}

double step_of(const Case& job, const Train& simulate) {
  const Record record = simulate(job);
  if (record.outcome != Outcome::done) {
    throw InputError("import: its simulation failed: " + record.failure);
  }
  return summarize(record).step_time_s_median.value_or(0);
}

std::string job_text(Scenario scenario, const std::string& what) {
  scenario.name = "job";
  scenario.question.clear();
  scenario.model.profile_batch = scenario.training.batch_size;
  scenario.training.steps = kJobSteps;
  return fmt::format(
      "# {}\n#   foretrain simulate job.yaml --set training.workers=4   how long a step takes "
      "with 4\n#   foretrain whatif job.yaml                              what limits it, what "
      "helps\n{}",
      what, to_yaml(scenario));
}

}  // namespace

int import_step(const ImportArguments& arguments, const Train& simulate) {
  const auto parameters = of_option("--parameters", arguments.parameters, parse_count);
  const auto measured = of_option("--step", arguments.step, parse_duration);
  const fs::path folder = arguments.out.empty() ? "job" : arguments.out;
  prepare_job_folder(folder, arguments.force);
  Case job = job_case(arguments);
  const auto step_with = [&](double gradient_s) {
    job.scenario.model.profile = profile_of(even_job(parameters, gradient_s));
    return step_of(job, simulate);
  };
  const FoundGradient found = of_option("--step", arguments.step, [&](const std::string& /*text*/) {
    return gradient_behind(measured.seconds(), step_with);
  });
  const int workers = node_counts(job.scenario).workers;
  const std::string what =
      fmt::format("{} parameters; in a step of {} with {} workers the gradient takes {:.4g} ms",
                  grouped(parameters), to_text(measured), workers, found.gradient_s * kMsOfSecond);
  write_text_file(folder / "layers.csv", profile_of(even_job(parameters, found.gradient_s)).text);
  write_text_file(folder / "job.yaml", job_text(job.scenario, what));
  if (arguments.json) {
    print_json({{"parameters", parameters},
                {"workers", workers},
                {"step_s", measured.seconds()},
                {"gradient_s", found.gradient_s},
                {"forecast_step_s", found.step_s},
                {"step_without_compute_s", found.alone_s},
                {"folder", folder.string()}});
  }
  arguments.tell(wrap(fmt::format(
      "{}. Its layers are assumed equal; without computing a step would take {:.4g} ms.", what,
      found.alone_s * kMsOfSecond)));
  constexpr double kNearlyAll = 0.95;
  if (found.alone_s > kNearlyAll * measured.seconds()) {
    arguments.tell(
        wrap("That is nearly all of the step, so the time of the gradient is very uncertain."));
  }
  arguments.tell(fmt::format("\nwritten: {0}/job.yaml, {0}/layers.csv\n", folder.string()));
  return kDone;
}

}  // namespace foretrain
