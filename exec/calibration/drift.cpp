#include "exec/calibration/drift.h"

#include "exec/calibration/single_runs.h"

namespace foretrain::exec {

std::optional<double> DriftMeter::measure(const Prepared& prepared, const Machine& machine) {
  constexpr auto kFresh = std::chrono::seconds(5);
  if (prepared.training->network->profiled()) return std::nullopt;
  const std::string& key = prepared.model_key;
  const auto model = machine.models.find(key);
  if (model == machine.models.end() || model->second.checked_batch == 0) return std::nullopt;
  const auto known = known_.find(key);
  const auto now = std::chrono::steady_clock::now;
  if (known != known_.end() && now() - known->second.when < kFresh) return known->second.drift;
  const ModelCost& cost = model->second;
  CalibrateOptions options;
  options.program = program_;
  const double fitted_s = cost.gradient_of(cost.checked_batch).seconds();
  const double then_s = fitted_s / (1 + cost.residual);
  const double drift = measure_gradient(prepared, cost.checked_batch, options) / then_s;
  known_[key] = {now(), drift};
  return drift;
}

}  // namespace foretrain::exec
