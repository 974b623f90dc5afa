// Compares the repetitions of a case with one simulation.
#include "reports/studies/validation/validation.h"

#include "models/base/check.h"
#include "models/protocol/registry.h"
#include "reports/record/statistics.h"
#include "reports/record/summary.h"
#include "scenarios/resolve/read.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace foretrain {
namespace {

bool deterministic(const Case& scenario_case) {
  const TrainingSpec& training = scenario_case.scenario.training;
  const Protocol* protocol = find_protocol(training.strategy);
  return protocol != nullptr && protocol->deterministic(training.protocol);
}

/// Empty if weights cannot be compared: there are none, or kernel sets sum in another order.
std::optional<bool> same_weights(const Record& a, const Record& b) {
  if (a.weights_sha256.empty() || b.weights_sha256.empty()) return std::nullopt;
  if (a.kernel_set != b.kernel_set) return std::nullopt;
  return a.weights_sha256 == b.weights_sha256;
}

std::optional<bool> same_weights(const std::vector<Record>& runs, const Record& simulated) {
  bool equal = true;
  for (const Record& run : runs) {
    const auto same = same_weights(run, simulated);
    if (!same) return std::nullopt;
    equal = equal && *same;
  }
  return equal;
}

/// Replays `c.run`, compares the weights.
void compare_replay(CaseValidation& c, const Replay& replay) {
  if (!replay || c.run.weights_sha256.empty() || c.run.inputs.empty()) return;
  try {
    const Record again = replay(c.run);
    c.replay_equal = same_weights(c.run, again);
    c.replay_bytes_equal =
        std::ranges::equal(c.run.nodes, again.nodes, {}, &NodeTotals::tx, &NodeTotals::tx);
  } catch (const InputError& error) {  // one bad record does not end the validation
    c.replay_equal = false;
    c.replay_bytes_equal = false;
    c.replay_failure = error.what();
  }
}

std::vector<double> staleness_of(std::span<const Record> records) {
  std::vector<double> all;
  for (const Record& record : records) {
    for (const StepRow& row : record.steps) {
      all.push_back(static_cast<double>(row.report.staleness));
    }
  }
  return all;
}

bool reaches(const Record& record) { return summarize(record).time_to_target_s.has_value(); }

std::optional<bool> all_of(const std::vector<CaseValidation>& cases,
                           std::optional<bool> CaseValidation::*answer) {
  std::optional<bool> all;
  for (const CaseValidation& c : cases) {
    if (c.*answer) all = all.value_or(true) && *(c.*answer);
  }
  return all;
}

Case without_seed(Case scenario_case) {
  std::erase_if(scenario_case.settings, [](const Setting& s) { return s.key == "seed"; });
  return scenario_case;
}

/// A key that is equal for cases that differ in `seed` alone.
std::string but_for_seed(Case scenario_case) {
  scenario_case.scenario.seed = 0;
  return to_yaml(scenario_case.scenario);
}

/// Medians over the seeds of the metrics that all members have.
std::vector<Comparison> over_seeds(const std::vector<const CaseValidation*>& members) {
  std::vector<Comparison> medians;
  for (const Comparison& first : members.front()->comparisons) {
    std::vector<double> measured;
    std::vector<double> predicted;
    std::vector<double> low;
    std::vector<double> high;
    for (const CaseValidation* member : members) {
      for (const Comparison& c : member->comparisons) {
        if (c.metric != first.metric || c.node != first.node) continue;
        measured.push_back(c.measured);
        predicted.push_back(c.predicted);
        low.push_back(c.predicted_low);
        high.push_back(c.predicted_high);
      }
    }
    if (measured.size() < members.size()) continue;
    Comparison& c = medians.emplace_back(
        compared(first.metric, first.node, measured, median(predicted).value()));
    c.predicted_low = median(low).value();
    c.predicted_high = median(high).value();
  }
  return medians;
}

}  // namespace

const Comparison* CaseValidation::find(std::string_view metric) const {
  const auto found = std::ranges::find_if(
      comparisons, [&](const Comparison& c) { return c.metric == metric && c.node.empty(); });
  return found == comparisons.end() ? nullptr : &*found;
}

const Comparison* CaseValidation::worst_node(std::string_view metric) const {
  const Comparison* worst = nullptr;
  for (const Comparison& c : comparisons) {
    if (c.metric != metric || c.node.empty()) continue;
    // A missing error is the largest: the forecast is positive, the measurement zero.
    const auto how_far = [](const Comparison& each) { return deviation(each).value_or(HUGE_VAL); };
    if (worst == nullptr || how_far(c) > how_far(*worst)) worst = &c;
  }
  return worst;
}

CaseValidation compare_case(const Case& scenario_case, CaseRecords&& records, const Replay& replay,
                            const OwnTimes& own_times, const OfMoment& of_moment) {
  auto& [runs, simulated] = records;
  for (const Record& run : runs) FT_CHECK(run.outcome == Outcome::done);
  FT_CHECK(simulated.outcome == Outcome::done);
  CaseValidation c;
  c.scenario_case = scenario_case;
  c.comparisons = compare(runs, simulated);
  add_ranges(simulated, c.comparisons);
  c.reached = static_cast<int>(std::ranges::count_if(runs, reaches));
  c.reach_predicted = reaches(simulated);
  const bool ordered = deterministic(scenario_case);
  if (ordered) c.weights_equal = same_weights(runs, simulated);
  if (!ordered)
    c.staleness_distance = kolmogorov_smirnov(staleness_of(runs), staleness_of({&simulated, 1}));
  std::ranges::stable_sort(runs, {}, &Record::time);
  c.run = std::move(runs[(runs.size() - 1) / 2]);
  c.simulated = std::move(simulated);
  if (!ordered) compare_replay(c, replay);
  const auto again = [&](const auto& simulate, std::optional<double> Comparison::*error) {
    if (!simulate) return;
    if (const auto other = simulate(c.run)) compare_again(c.run, *other, error, c.comparisons);
  };
  again(own_times, &Comparison::protocol_error);
  again(of_moment, &Comparison::moment_error);
  c.run.inputs = {};
  return c;
}

std::map<std::string, ErrorRange> Validation::errors(std::string_view metric) const {
  std::map<std::string, std::vector<double>> errors;
  for (const CaseValidation& c : cases) {
    const Comparison* comparison = c.find(metric);
    if (comparison == nullptr || !comparison->error) continue;
    errors[c.strategy()].push_back(std::abs(*comparison->error));
  }
  std::map<std::string, ErrorRange> ranges;
  for (const auto& [strategy, values] : errors) {
    ranges[strategy] = {*median(values), *quantile(values, 0.95), std::ranges::max(values)};
  }
  return ranges;
}

std::optional<bool> Validation::weights_equal() const {
  return all_of(cases, &CaseValidation::weights_equal);
}

std::optional<bool> Validation::replays_equal() const {
  return all_of(cases, &CaseValidation::replay_equal);
}

std::vector<std::string> Validation::strategies() const {
  std::vector<std::string> strategies;
  for (const CaseValidation& c : cases) {
    if (std::ranges::find(strategies, c.strategy()) == strategies.end()) {
      strategies.push_back(c.strategy());
    }
  }
  return strategies;
}

std::vector<SeedGroup> seed_groups(const Validation& validation) {
  std::vector<SeedGroup> groups;
  std::map<std::string, std::size_t> places;  // index of the group, by the members' common scenario
  for (std::size_t i = 0; i < validation.cases.size(); ++i) {
    const Case& each = validation.cases[i].scenario_case;
    const auto [place, first] = places.try_emplace(but_for_seed(each), groups.size());
    if (first) groups.push_back({without_seed(each), {}, {}});
    groups[place->second].members.push_back(i);
  }
  std::erase_if(groups, [](const SeedGroup& group) { return group.members.size() < 2; });
  for (SeedGroup& group : groups) {
    std::vector<const CaseValidation*> members;
    members.reserve(group.members.size());
    for (const std::size_t i : group.members) members.push_back(&validation.cases[i]);
    group.comparisons = over_seeds(members);
  }
  return groups;
}

}  // namespace foretrain
