#include "reports/studies/validation/like_with_like.h"

#include "reports/record/core_state.h"
#include "reports/record/summary.h"
#include "reports/studies/validation/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace foretrain {
namespace {

/// How much of a step's time the speed of the cores decides: all, where messages are the cores'
/// work too; over links that are described, what is computed.
double share_of_cores(const Record& record) {
  if (record.scenario_case.scenario.cluster.hosts.empty()) return 1;
  const PhaseSeconds phases = summarize(record).phases;
  double all_s = 0;
  for (const Phase<double>& phase : kPhases<double>) {
    if (phase.of != &PhaseSeconds::evaluate) all_s += phases.*phase.of;
  }
  return all_s > 0 ? (phases.compute + phases.apply) / all_s : 0;
}

bool is_time(const Comparison& c) {
  return c.node.empty() &&
         (c.metric.ends_with("_ms") || c.metric == "time_s" || c.metric == "time_to_target_s");
}

bool is_rate(const Comparison& c) { return c.node.empty() && c.metric.ends_with("_per_s"); }

std::optional<DistanceShares> shares_of(std::span<const CaseValidation> cases) {
  DistanceShares shares;
  double known = 0;
  for (const CaseValidation& c : cases) {
    for (const CoresOfRun& run : c.cores) {
      if (!run.distance) continue;
      ++known;
      if (*run.distance == CoreDistance::near) ++shares.near;
      if (*run.distance == CoreDistance::far) ++shares.far;
      if (*run.distance == CoreDistance::mixed) ++shares.mixed;
    }
    if (const auto distance = core_distance(c.simulated)) shares.calibrated = name_of(*distance);
  }
  if (known == 0) return std::nullopt;
  for (double* share : {&shares.near, &shares.far, &shares.mixed}) *share /= known;
  return shares;
}

}  // namespace

CoresOfRun cores_of_run(const Record& run, const Record& simulated) {
  CoresOfRun cores;
  cores.distance = core_distance(run);
  if (!run.probes.empty()) {
    cores.reference_before_s = reference_s(run, run.probes.front());
    cores.reference_after_s = reference_s(run, run.probes.back());
  }
  cores.drift = drift_between(run, simulated);
  cores.step_time_s = summarize(run).step_time_s_median;
  cores.alike = cores.distance && *cores.distance != CoreDistance::mixed &&
                cores.distance == core_distance(simulated);
  return cores;
}

std::optional<CoreDistance> distance_of_most(const std::vector<Record>& runs) {
  const auto met = [&](CoreDistance distance) {
    return std::ranges::count_if(runs,
                                 [&](const Record& run) { return core_distance(run) == distance; });
  };
  std::optional<CoreDistance> most;
  for (const CoreDistance each : {CoreDistance::near, CoreDistance::far, CoreDistance::mixed}) {
    if (met(each) > (most ? met(*most) : 0)) most = each;
  }
  return most;
}

void compare_like_with_like(const std::vector<Record>& runs, const Record& simulated,
                            std::vector<Comparison>& comparisons) {
  const auto predicted_s = summarize(simulated).step_time_s_median;
  std::vector<double> drifts;
  std::vector<double> undrifted_ms;
  std::vector<double> alike_ms;
  for (const Record& run : runs) {
    const CoresOfRun cores = cores_of_run(run, simulated);
    if (cores.drift) drifts.push_back(*cores.drift);
    if (!cores.step_time_s) continue;
    const double step_ms = *cores.step_time_s * 1e3;
    if (cores.alike) alike_ms.push_back(step_ms);
    if (!cores.drift) continue;
    undrifted_ms.push_back(step_ms / (1 + share_of_cores(run) * (*cores.drift - 1)));
  }
  if (drifts.size() == runs.size()) comparisons.push_back(compared("drift", "", drifts, 1));
  if (!predicted_s) return;
  if (undrifted_ms.size() == runs.size()) {
    comparisons.push_back(compared("undrifted_step_time_ms", "", undrifted_ms, *predicted_s * 1e3));
  }
  if (alike_ms.empty()) return;
  comparisons.push_back(compared("alike_step_time_ms", "", alike_ms, *predicted_s * 1e3));
}

void add_ranges(const Record& simulated, std::vector<Comparison>& comparisons) {
  const SpeedRange range = speed_range(simulated);
  const double share = share_of_cores(simulated);
  const double low = 1 + share * (range.low - 1);
  const double high = 1 + share * (range.high - 1);
  for (Comparison& c : comparisons) {
    if (is_time(c)) {
      c.predicted_low = c.predicted * low;
      c.predicted_high = c.predicted * high;
    } else if (is_rate(c)) {
      c.predicted_low = c.predicted / high;
      c.predicted_high = c.predicted / low;
    }
  }
}

std::optional<DistanceShares> distance_shares(const Validation& validation) {
  return shares_of(validation.cases);
}

std::optional<DistanceShares> distance_shares(const CaseValidation& c) {
  return shares_of({&c, 1});
}

std::string in_words(const DistanceShares& shares) {
  std::string words;
  for (const auto& [name, share] : {std::pair{"near", shares.near}, std::pair{"far", shares.far},
                                    std::pair{"mixed", shares.mixed}}) {
    if (share == 1) return name;
    if (share > 0)
      words += fmt::format("{}{} {:.0f} %", words.empty() ? "" : ", ", name, 100 * share);
  }
  return words;
}

}  // namespace foretrain
