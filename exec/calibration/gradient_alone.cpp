#include "exec/calibration/gradient_alone.h"

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

Case GradientAlone::trained(const Case& scenario_case) {
  constexpr std::int64_t kSteps = 32;
  return runs_of(scenario_case).steady.alone(scenario_case.scenario.training.batch_size, kSteps);
}

GradientAlone::Runs& GradientAlone::runs_of(const Case& scenario_case) {
  std::unique_ptr<Runs>& runs = runs_[scenario_case.label()];
  if (!runs) runs = std::make_unique<Runs>(scenario_case, options_);
  return *runs;
}

}  // namespace foretrain::exec
