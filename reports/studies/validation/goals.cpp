// Checks each goal for every strategy, case, pair.
#include "reports/studies/validation/goals.h"

#include "reports/studies/validation/order.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

namespace foretrain {
namespace {

/// Counts the answers to one goal.
class Tally {
 public:
  Tally(std::string name, std::string unit, double limit) {
    goal_.name = std::move(name);
    goal_.unit = std::move(unit);
    goal_.limit = limit;
  }

  /// Adds the `deviation` of `name` in the goal's unit; empty means too large for a number.
  void add(std::optional<double> deviation, const std::string& name) {
    ++goal_.of;
    if (deviation && *deviation <= goal_.limit) ++goal_.met;
    const bool worse = !lost_ && (!deviation || !goal_.worst || *deviation > *goal_.worst);
    if (!worse) return;
    lost_ = !deviation;
    goal_.worst = deviation;
    goal_.worst_name = name;
  }
  /// Adds an answer to a yes-or-no goal.
  void holds(bool it_does, const std::string& name) {
    ++goal_.of;
    if (it_does) ++goal_.met;
    if (!it_does && goal_.worst_name.empty()) goal_.worst_name = name;
  }

  void end(std::vector<Goal>& goals) {
    if (goal_.of > 0) goals.push_back(std::move(goal_));
  }

 private:
  Goal goal_;
  bool lost_ = false;  // the worst deviation has no number
};

std::optional<double> in_percent(std::optional<double> share) {
  return share ? std::optional(*share * 100) : std::nullopt;
}

void add_step_time(const Validation& validation, std::vector<Goal>& goals) {
  Tally middle("step time, median of each strategy", "%", kGoalStepTimeMedian * 100);
  Tally tail("step time, 95th percentile of each", "%", kGoalStepTimeP95 * 100);
  Tally own_middle("median with the runs' own compute times", "%", kGoalProtocolMedian * 100);
  Tally own_tail("95th percentile with the runs' own compute times", "%", kGoalProtocolP95 * 100);
  for (const StrategyVerdict& strategy : strategy_verdicts(validation)) {
    if (strategy.protocol) {
      own_middle.add(strategy.protocol->median * 100, strategy.strategy);
      own_tail.add(strategy.protocol->p95 * 100, strategy.strategy);
    }
    if (!strategy.steady) continue;
    middle.add(strategy.steady->median * 100, strategy.strategy);
    tail.add(strategy.steady->p95 * 100, strategy.strategy);
  }
  middle.end(goals);
  tail.end(goals);
  own_middle.end(goals);
  own_tail.end(goals);
  Tally noisy("noisy cases, inside the runs' quartiles", "", 0);
  for (const CaseValidation& c : validation.cases) {
    const auto verdict = verdict_of(c);
    if (verdict && verdict->noisy) noisy.holds(verdict->held, title_of(c.scenario_case));
  }
  noisy.end(goals);
}

void add_nodes(const Validation& validation, std::vector<Goal>& goals) {
  Tally cpu("CPU of each node", "points", kGoalCpuPoints);
  Tally memory("memory of each node", "%", kGoalMemory * 100);
  for (const CaseValidation& c : validation.cases) {
    const auto name = [&](const Comparison& worst) {
      return fmt::format("{}: {}", title_of(c.scenario_case), worst.node);
    };
    if (const Comparison* worst = c.worst_node("cpu_percent")) {
      cpu.add(deviation(*worst), name(*worst));
    }
    if (const Comparison* worst = c.worst_node("rss_bytes")) {
      memory.add(in_percent(deviation(*worst)), name(*worst));
    }
  }
  cpu.end(goals);
  memory.end(goals);
}

void add_figures(const Validation& validation, std::vector<Goal>& goals) {
  Tally bytes("bytes sent, exact (or of replays)", "", 0);
  Tally staleness("mean staleness, where it varies", "%", kGoalStaleness * 100);
  Tally weights("weights equal bit for bit", "", 0);
  Tally replays("weights of replays equal bit for bit", "", 0);
  for (const CaseValidation& c : validation.cases) {
    const std::string name = title_of(c.scenario_case);
    if (const Comparison* sent = c.find("bytes_sent")) {
      bytes.holds(c.replay_bytes_equal.value_or(sent->exact), name);
    }
    const Comparison* mean = c.find("staleness_mean");
    if (mean != nullptr && c.staleness_distance) staleness.add(in_percent(deviation(*mean)), name);
    if (c.weights_equal) weights.holds(*c.weights_equal, name);
    if (c.replay_equal) replays.holds(*c.replay_equal, name);
  }
  bytes.end(goals);
  staleness.end(goals);
  weights.end(goals);
  replays.end(goals);
}

void add_time_to_target(const Validation& validation, std::vector<Goal>& goals) {
  Tally target("time to target", "%", kGoalTimeToTarget * 100);
  std::set<std::size_t> grouped;
  const auto add = [&](const Case& scenario_case, const std::vector<Comparison>& comparisons) {
    for (const Comparison& c : comparisons) {
      if (c.metric == "time_to_target_s") {
        target.add(in_percent(deviation(c)), title_of(scenario_case));
        return;
      }
    }
    target.add(std::nullopt, title_of(scenario_case));  // a run or the simulation did not reach it
  };
  for (const SeedGroup& group : seed_groups(validation)) {
    grouped.insert(group.members.begin(), group.members.end());
    if (!group.scenario_case.scenario.training.until.wanted()) continue;
    add(group.scenario_case, group.comparisons);
  }
  for (std::size_t i = 0; i < validation.cases.size(); ++i) {
    const CaseValidation& c = validation.cases[i];
    if (grouped.contains(i) || !c.scenario_case.scenario.training.until.wanted()) continue;
    add(c.scenario_case, c.comparisons);
  }
  target.end(goals);
}

void add_order(const Validation& validation, std::vector<Goal>& goals) {
  const Order order = order_of(validation);
  const auto add = [&](const char* name, const PairOrder& pairs) {
    const int apart = pairs.ordered - pairs.tied;
    if (apart == 0) return;
    Goal goal;
    goal.name = name;
    goal.of = apart;
    goal.met = apart - static_cast<int>(pairs.inverted.size());
    if (!pairs.inverted.empty()) {
      const Inversion& first = pairs.inverted.front();
      goal.worst_name =
          fmt::format("{} before {}", title_of(validation.cases[first.faster].scenario_case),
                      title_of(validation.cases[first.slower].scenario_case));
    }
    goals.push_back(std::move(goal));
  };
  add("order of the cases by gradients/s", order.all);
  add("order of strategies, otherwise equal", order.weighed);
}

}  // namespace

std::vector<Goal> goals_of(const Validation& validation) {
  std::vector<Goal> goals;
  add_step_time(validation, goals);
  add_nodes(validation, goals);
  add_figures(validation, goals);
  add_time_to_target(validation, goals);
  add_order(validation, goals);
  return goals;
}

}  // namespace foretrain
