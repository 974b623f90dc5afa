#include "scenarios/core_probe.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

std::string_view name_of(CoreDistance distance) {
  switch (distance) {
    case CoreDistance::near:
      return "near";
    case CoreDistance::far:
      return "far";
    case CoreDistance::mixed:
      break;
  }
  return "mixed";
}

CoreDistance distance_of(const PairProbe& pair, double shared_line_s, const KnownHandovers& known) {
  double border_s = std::max(kFarRatio * shared_line_s, kFarAgain * known.near.seconds());
  if (known.near.ns > 0 && known.far.ns > 0) {
    border_s = std::sqrt(known.near.seconds() * known.far.seconds());
  }
  return pair.handover_s < border_s ? CoreDistance::near : CoreDistance::far;
}

std::optional<CoreDistance> distance_over(std::span<const std::optional<CoreDistance>> distances) {
  std::optional<CoreDistance> all;
  for (const std::optional<CoreDistance>& each : distances) {
    if (!each) continue;
    if (all && *all != *each) return CoreDistance::mixed;
    all = each;
  }
  return all;
}

std::optional<CoreDistance> distance_over(std::span<const CoreProbe> probes) {
  std::vector<std::optional<CoreDistance>> distances;
  distances.reserve(probes.size());
  for (const CoreProbe& probe : probes) distances.push_back(probe.distance);
  return distance_over(distances);
}

}  // namespace foretrain
