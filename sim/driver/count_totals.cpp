#include "sim/driver/count_totals.h"

#include "scenarios/resolve/memory_fit.h"

#include <algorithm>

namespace foretrain::sim {

std::optional<CountedTotals> count_totals(const Prepared& prepared) {
  if (prepared.counted == nullptr) return std::nullopt;
  const CountedNetwork& network = *prepared.counted;
  const Scenario& scenario = prepared.scenario_case.scenario;
  const std::int64_t batches = scenario.training.accumulate;
  const auto peak = [&](const HostSpec* host) { return peak_of(*host, network.precision); };
  CountedTotals counted;
  counted.parameters = network.parameters();
  counted.tokens = batches * network.tokens;
  counted.flops = static_cast<double>(batches) * network.model_flops();
  counted.peak = peak(std::ranges::min(computing_hosts(scenario), {}, peak));
  counted.memory = device_memory(prepared);
  if (!counted.memory.fits()) counted.would_fit = what_would_fit(prepared);
  return counted;
}

}  // namespace foretrain::sim
