#include "reports/studies/budget/first_steps.h"

#include "models/protocol/registry.h"
#include "reports/record/caveats.h"
#include "reports/record/not_done.h"
#include "scenarios/resolve/least_network.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

/// If two steps are equal, all later ones are: there is no draw, no queue that fills or drains from
/// step to step, no local step, and all workers wait for each other.
bool steps_repeat(const Scenario& scenario, const BudgetBase& base) {
  const Protocol& protocol = protocol_called(scenario.training.strategy);
  const bool drops = protocol.drops(scenario.training.protocol, scenario.training.workers);
  return protocol.synchronous && !drops && protocol.statistical_efficiency.empty() &&
         !base.sparse && scenario.stragglers.empty() && !scenario.dataset.input.costs() &&
         scenario.cluster.hosts.front().burst.value == 0;
}

/// The ends of all steps in order, those of all workers.
struct StepEnds {
  std::vector<std::int64_t> ns;
  std::int64_t workers = 0;

  explicit StepEnds(const Record& record) {
    ns.reserve(record.steps.size());
    for (const auto& [worker, report] : record.steps) {
      ns.push_back((report.start + length_of(report.phases)).ns);
      workers = std::max<std::int64_t>(workers, worker + 1);
    }
    std::ranges::sort(ns);
  }
  /// The time of a step between the first, which has nothing to wait for, and the last, for which
  /// nothing waits, if two such steps took equally long, to a thousandth; else 0.
  [[nodiscard]] double even_step_s() const {
    if (std::ssize(ns) != kBudgetEvenSteps * workers) return 0;
    const auto end = [&](std::int64_t step) {
      return static_cast<double>(ns[static_cast<std::size_t>(step * workers - 1)]);
    };
    const double last = end(kBudgetEvenSteps - 1) - end(kBudgetEvenSteps - 2);
    const double before = end(kBudgetEvenSteps - 2) - end(kBudgetEvenSteps - 3);
    return std::abs(last - before) <= 1e-3 * last ? last * 1e-9 : 0;
  }
};

}  // namespace

Record simulated(const Case& scenario_case, const BudgetOptions& options) {
  Record record = options.simulate(scenario_case);
  if (record.outcome != Outcome::done) throw NotDone(record.outcome, record.failure);
  return record;
}

double cost_of(const Offer& offer, double time_s) {
  const HostSpec& host = offer.scenario_case.scenario.cluster.hosts.front();
  return host.price.per_hour * host.count * time_s / 3600;
}

void set_time(Offer& offer, double time_s) {
  offer.time_s = time_s;
  offer.cost = cost_of(offer, time_s);
}

Case begun_of(Case whole, const BudgetBase& base, int steps) {
  Scenario& scenario = whole.scenario;
  scenario.numerics = scenario.numerics && base.sparse;
  scenario.training.until = {};
  scenario.training.evaluate_every = 0;
  scenario.training.steps = std::min<std::int64_t>(scenario.training.steps, steps);
  return whole;
}

void time_offer(Offer& offer, const BudgetBase& base, const BudgetOptions& options) {
  const Case& whole = offer.scenario_case;
  const TrainingSpec& training = whole.scenario.training;
  const auto simulate_first = [&](int steps) {
    offer.first_steps = steps;
    Record record = simulated(begun_of(whole, base, steps), options);
    offer.range = forecast_range(record);
    offer.uneven_share = uneven_share(record);
    return record;
  };
  if (training.steps > kBudgetSteps && steps_repeat(whole.scenario, base)) {
    const Record record = simulate_first(kBudgetEvenSteps);
    const double step_s = StepEnds(record).even_step_s();
    const double so_far_s = (record.startup + record.time).seconds();
    const auto left = static_cast<double>(training.steps - kBudgetEvenSteps);
    if (step_s > 0) return set_time(offer, so_far_s + left * step_s);
  }
  const Record record = simulate_first(kBudgetSteps);
  const double time_s = whole_time_s(record, training.steps * training.workers);
  set_time(offer, std::max(time_s, offer.least_s));
}

void set_least_times(const std::vector<Offer*>& offers, const HostSpec& host,
                     const BudgetBase& base, const BudgetOptions& options) {
  const Scenario& scenario = base.scenario_case.scenario;
  const bool draws = base.sparse || !scenario.stragglers.empty();
  if (host.devices == 0 || draws || base.target().wanted()) return;
  RentedCluster alone{host.name, 1, 1, std::string(protocol_alone().name)};
  alone.batch_size = offers.front()->cluster.batch_size;
  Case lone = case_on(base.scenario_case, host, alone, base.examples);
  lone.scenario.training.shard = TrainingSpec{}.shard;
  lone.scenario.training.local_reduction = false;
  const Record record = simulated(begun_of(std::move(lone), base, 2), options);
  const auto jitters = [](const ComputeBasis& basis) { return basis.jitter > 0; };
  if (std::ranges::any_of(record.basis, jitters)) return;
  Duration least = record.steps.front().report.phases.compute;
  for (const auto& [worker, report] : record.steps) least = std::min(least, report.phases.compute);
  for (Offer* each : offers) {
    const Scenario& on = each->scenario_case.scenario;
    const double step_s = std::max(least.seconds(), least_network_s(on, base.gradient));
    each->least_s = static_cast<double>(on.training.steps) * step_s;
    each->range = forecast_range(record);
  }
}

double whole_time_s(const Record& record, std::int64_t gradients) {
  const double so_far_s = (record.startup + record.time).seconds();
  const StepEnds ends(record);
  const std::int64_t done = std::ssize(ends.ns);
  const std::int64_t warm = kBudgetWarmSteps * ends.workers;
  if (gradients <= done || done <= warm) return so_far_s;
  const Duration steady{ends.ns.back() - ends.ns[static_cast<std::size_t>(warm - 1)]};
  const double each_s = steady.seconds() / static_cast<double>(done - warm);
  return so_far_s + static_cast<double>(gradients - done) * each_s;
}

}  // namespace foretrain
