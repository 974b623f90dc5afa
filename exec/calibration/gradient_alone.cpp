#include "exec/calibration/gradient_alone.h"

#include "reports/record/interruption.h"
#include "reports/record/statistics.h"
#include "scenarios/resolve/read.h"

#include <cstdint>
#include <utility>

namespace foretrain::exec {

GradientAlone::GradientAlone(const std::filesystem::path& program) {
  options_.program = program;
  options_.shortest_s = 0.3;
  options_.longest_s = 0.6;
}

double GradientAlone::look(const Case& scenario_case) {
  Runs& runs = runs_of(scenario_case);
  const double gradient_s =
      runs.steady.measure(scenario_case.scenario.training.batch_size).gradient_s;
  last_ = {&runs, gradient_s, Clock::now()};
  return gradient_s;
}

Record GradientAlone::around(const Case& scenario_case, const std::function<Record()>& run) {
  constexpr auto kJustNow = std::chrono::milliseconds(500);
  const bool known = last_.runs == &runs_of(scenario_case) && Clock::now() - last_.at < kJustNow;
  const double before_s = known ? last_.gradient_s : look(scenario_case);
  Record record = run();
  if (record.outcome == Outcome::done) record.alone_s = {before_s, look(scenario_case)};
  return record;
}

std::optional<Record> GradientAlone::at_moment_of(const Record& run, const Simulate& simulate) {
  constexpr std::int64_t kSteps = 32;
  if (run.alone_s.empty()) return std::nullopt;
  const Case& scenario_case = run.scenario_case;
  const int batch_size = scenario_case.scenario.training.batch_size;
  const Record alone = simulate(runs_of(scenario_case).steady.alone(batch_size, kSteps), 1);
  const double seen_s = median(run.alone_s).value();
  Record record = simulate(scenario_case, seen_s / gradient_of(alone));
  Interruption::check();  // half a simulation would be useless for a comparison
  return record;
}

// Cases with the same training alone, such as sync and async at one batch size, share their runs.
GradientAlone::Runs& GradientAlone::runs_of(const Case& scenario_case) {
  auto fresh = std::make_unique<Runs>(scenario_case, options_);
  const int batch_size = scenario_case.scenario.training.batch_size;
  const std::string trained = to_yaml(fresh->steady.alone(batch_size, 1).scenario);
  return *runs_.try_emplace(trained, std::move(fresh)).first->second;
}

}  // namespace foretrain::exec
