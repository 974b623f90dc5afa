#include "exec/calibration/gradient_alone.h"

#include "reports/record/interruption.h"
#include "reports/record/statistics.h"

#include <cstdint>

namespace foretrain::exec {

GradientAlone::GradientAlone() {
  options_.shortest_s = 0.3;
  options_.longest_s = 0.6;
}

double GradientAlone::look(const Case& scenario_case) {
  return runs_of(scenario_case)
      .steady.measure(scenario_case.scenario.training.batch_size)
      .gradient_s;
}

Record GradientAlone::around(const Case& scenario_case, const std::function<Record()>& run) {
  const double before_s = look(scenario_case);
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
  Interruption::check();  // half a simulation compares with nothing
  return record;
}

GradientAlone::Runs& GradientAlone::runs_of(const Case& scenario_case) {
  std::unique_ptr<Runs>& runs = runs_[scenario_case.label()];
  if (!runs) runs = std::make_unique<Runs>(scenario_case, options_);
  return *runs;
}

}  // namespace foretrain::exec
