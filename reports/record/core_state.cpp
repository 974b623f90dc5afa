#include "reports/record/core_state.h"

#include <algorithm>

namespace foretrain {
namespace {

/// Nodes that are not pinned run wherever there is room.
bool has_several_cores(const Record& record) {
  const auto other = [&](const NodeTotals& node) {
    return node.core < 0 || node.core != record.nodes.front().core;
  };
  return record.nodes.size() > 1 && std::ranges::any_of(record.nodes, other);
}

const ReferenceTimes& reference_of(const Record& record, const CoresSeen& seen) {
  return has_several_cores(record) && seen.together.median.ns > 0 ? seen.together : seen.alone;
}

}  // namespace

std::optional<CoreDistance> core_distance(const Record& record) {
  for (const CoreDistance each : {CoreDistance::near, CoreDistance::far, CoreDistance::mixed}) {
    if (record.calibrated.loopback_distance == name_of(each)) return each;
  }
  return distance_over(record.probes);
}

double reference_s(const Record& run, const CoreProbe& probe) {
  return has_several_cores(run) && probe.together_s > 0 ? probe.together_s : probe.alone_s;
}

std::optional<double> drift_between(const Record& run, const Record& simulated) {
  if (run.probes.empty() || !simulated.calibrated.known()) return std::nullopt;
  // At a pause one core is looked at: with others that poll, or alone.
  const double then_s = reference_of(run, simulated.calibrated).median.seconds();
  const double alone_s = simulated.calibrated.alone.median.seconds();
  double sum = 0;
  for (const CoreProbe& probe : run.probes) {
    sum += probe.together_s > 0 ? reference_s(run, probe) / then_s : probe.alone_s / alone_s;
  }
  return sum / static_cast<double>(run.probes.size());
}

SpeedRange speed_range(const Record& simulated) {
  if (!simulated.calibrated.known()) return {};
  const ReferenceTimes& times = reference_of(simulated, simulated.calibrated);
  const double median_s = times.median.seconds();
  const SpeedRange range{times.fastest.seconds() / median_s, times.slowest.seconds() / median_s};
  return range.high > (1 + kWander) * range.low ? range : SpeedRange{};
}

}  // namespace foretrain
