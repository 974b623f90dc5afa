// The time to the target, with or without the time of evaluations.
#include "models/protocol/async.h"
#include "models/protocol/registry.h"
#include "models/protocol/ssp.h"
#include "reports/record/summary.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretrain {
namespace {

double seconds(Duration d) { return static_cast<double>(d.ns) / 1e9; }

/// Share of the way from `before`, which misses `goal`, to `after`, which meets it, at which a
/// straight line reaches `goal`.
double share_to(double before, double after, double goal) {
  const double share = (goal - before) / (after - before);
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 1.0;
}

/// Share, 0 to 1, of an evaluation's time that delays the training. If workers do not wait for each
/// other and share a quota, the others compute the chief's gradients during its evaluation.
double held_up(const Scenario& scenario) {
  const TrainingSpec& training = scenario.training;
  if (scenario.framework.evaluation == "nobody") return 0;
  const Protocol& protocol = protocol_called(training.strategy);
  const bool waits = protocol.synchronous || scenario.framework.evaluation == "all" ||
                     reads(protocol, kStaleness) || training.protocol.word(kQuota) == kOwnQuota;
  return waits ? 1 : 1.0 / node_counts(scenario).workers;
}

}  // namespace

Duration evaluation_before(const Record& record, const EvalReport* until) {
  std::int64_t sum_ns = 0;
  for (const EvalReport& each : record.evals) {
    if (&each == until || each.final) break;
    const std::int64_t left_ns = (Instant{} + record.time - each.time).ns;
    sum_ns += std::clamp<std::int64_t>(left_ns, 0, std::max<std::int64_t>(0, each.took.ns));
  }
  const double share = held_up(record.scenario_case.scenario);
  return {static_cast<std::int64_t>(static_cast<double>(sum_ns) * share)};
}

std::string target_text(const Target& target) {
  std::vector<std::string> asked;
  if (target.accuracy > 0) asked.push_back(fmt::format("accuracy {}", target.accuracy));
  if (target.loss > 0) asked.push_back(fmt::format("loss {}", target.loss));
  return fmt::format("{}", fmt::join(asked, " or "));
}

const EvalReport* first_reaching(std::span<const EvalReport> evals, const Target& target) {
  const auto first = std::ranges::find_if(
      evals, [&](const EvalReport& e) { return target.reached(e.loss, e.accuracy); });
  if (first == evals.end()) return nullptr;
  if (!first->final) return &*first;
  constexpr std::int64_t kLong = 2;  // multiple of the longest earlier gap
  std::int64_t most = 0;
  std::int64_t before = 0;
  for (auto each = evals.begin(); each != first; ++each) {
    most = std::max(most, each->version.value - before);
    before = each->version.value;
  }
  return first->version.value - before <= kLong * most ? &*first : nullptr;
}

std::optional<double> interpolated_time_to_target_s(const Record& record, EvaluationTime clock) {
  const Target& target = record.scenario_case.scenario.training.until;
  const EvalReport* first = first_reaching(record.evals, target);
  if (first == nullptr) return std::nullopt;
  const auto time_of = [&](const EvalReport& e) {
    const Duration time = std::min(e.time - Instant{}, record.time);
    const bool whole = clock == EvaluationTime::counted;
    return seconds(whole ? time : time - evaluation_before(record, &e));
  };
  const double after_s = time_of(*first);
  if (first == record.evals.data()) return after_s;
  const EvalReport& before = *(first - 1);
  double share = 1;
  if (target.accuracy > 0 && first->accuracy >= target.accuracy) {
    share = std::min(share, share_to(before.accuracy, first->accuracy, target.accuracy));
  }
  if (target.loss > 0 && first->loss <= target.loss) {
    share = std::min(share, share_to(before.loss, first->loss, target.loss));
  }
  const double before_s = time_of(before);
  return before_s + share * (after_s - before_s);
}

bool passed_unseen(const Target& target, const Summary& summary) {
  if (summary.time_to_target_s) return false;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  return target.reached(summary.final_loss.value_or(unknown),
                        summary.test_accuracy.value_or(unknown));
}

}  // namespace foretrain
