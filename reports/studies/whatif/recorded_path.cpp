// The critical path of a recorded training, as far as its step rows show it.
#include "models/protocol/registry.h"
#include "reports/studies/whatif/whatif_data.h"

#include <map>

namespace foretrain {

std::optional<PhaseSeconds> recorded_path(const Record& record) {
  const TrainingSpec& training = record.scenario_case.scenario.training;
  const Protocol* protocol = find_protocol(training.strategy);
  const bool in_step =
      protocol != nullptr && protocol->synchronous && protocol->deterministic(training.protocol);
  if (!in_step || record.steps.empty()) return std::nullopt;
  std::map<Step, const Phases*> last;  // by step
  for (const StepRow& row : record.steps) {
    const Phases*& phases = last[row.report.step];
    if (phases == nullptr || row.report.phases.wait < phases->wait) phases = &row.report.phases;
  }
  PhaseSeconds sum;
  for (const auto& [step, phases] : last) sum += seconds_of(*phases);
  for (const auto& [name, of] : kPhases<double>) sum.*of /= static_cast<double>(last.size());
  return sum;
}

}  // namespace foretrain
