// A validation as programs read it.
#include "reports/record/csv.h"
#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/studies/validation/goals.h"
#include "reports/studies/validation/order.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(std::optional<T> value) {
  return value ? Json(*value) : Json();
}

/// Which machines, which calibration both modes come from.
std::string source_of(const Validation& validation) {
  const CaseValidation& first = validation.cases.front();
  return fmt::format("run on {}, {} kernels, {} {} a case; {}", first.run.machine,
                     first.run.kernel_set, validation.repetitions,
                     validation.repetitions == 1 ? "time" : "times", source_of(first.simulated));
}

Json figures_json(const Comparison& c) {
  Json json;
  json["metric"] = c.metric;
  if (!c.node.empty()) json["node"] = c.node;
  json["measured"] = c.measured;
  json["q1"] = c.q1;
  json["q3"] = c.q3;
  json["spread"] = or_null(c.spread);
  json["predicted"] = c.predicted;
  json["predicted_low"] = c.predicted_low;
  json["predicted_high"] = c.predicted_high;
  json["in_range"] = or_null(c.in_range());
  json["error"] = or_null(c.error);
  json["protocol_error"] = or_null(c.protocol_error);
  json["compute_error"] = or_null(c.compute_error());
  json["difference"] = c.difference;
  json["exact"] = c.exact;
  return json;
}

Json distance_json(std::optional<CoreDistance> distance) {
  return distance ? Json(name_of(*distance)) : Json();
}

Json distances_json(const std::optional<DistanceShares>& shares) {
  if (!shares) return Json();
  return {{"near", shares->near},
          {"far", shares->far},
          {"mixed", shares->mixed},
          {"calibrated", shares->calibrated.empty() ? Json() : Json(shares->calibrated)}};
}

/// Of all runs of a case together.
std::optional<CoreDistance> distance_of(const CaseValidation& c) {
  std::vector<std::optional<CoreDistance>> distances;
  for (const CoresOfRun& run : c.cores) distances.push_back(run.distance);
  return distance_over(distances);
}

/// A row a case and metric.
void add_metrics(const CaseValidation& c, Json& rows) {
  for (const Comparison& comparison : c.comparisons) {
    Json row = {{"settings", to_json(c.scenario_case.settings)}, {"strategy", c.strategy()}};
    row["core_distance"] = distance_json(distance_of(c));
    row.update(figures_json(comparison));
    rows.push_back(std::move(row));
  }
}

/// Each run with the cores that it had.
Json trainings_json(const CaseValidation& c) {
  Json trainings = Json::array();
  for (const CoresOfRun& run : c.cores) {
    const auto step_ms = run.step_time_s ? std::optional(*run.step_time_s * 1e3) : std::nullopt;
    trainings.push_back({{"core_distance", distance_json(run.distance)},
                         {"reference_before_s", or_null(run.reference_before_s)},
                         {"reference_after_s", or_null(run.reference_after_s)},
                         {"drift", or_null(run.drift)},
                         {"step_time_ms", or_null(step_ms)}});
  }
  return trainings;
}

Json verdict_json(const CaseValidation& c) {
  Json json = {{"case", title_of(c.scenario_case)},
               {"settings", to_json(c.scenario_case.settings)},
               {"strategy", c.strategy()}};
  const auto verdict = verdict_of(c);
  json["verdict"] = verdict ? Json(name_of(*verdict)) : Json();
  json["noisy"] = verdict ? Json(verdict->noisy) : Json();
  json["held"] = verdict ? Json(verdict->held) : Json();
  if (verdict && verdict->why) {
    json["why"] = {{"phase", verdict->why->phase},
                   {"measured_ms", verdict->why->measured_ms},
                   {"predicted_ms", verdict->why->predicted_ms},
                   {"sentence", sentence(*verdict->why)}};
  } else {
    json["why"] = Json();
  }
  json["staleness_ks"] = or_null(c.staleness_distance);
  json["weights_equal"] = or_null(c.weights_equal);
  json["replay_equal"] = or_null(c.replay_equal);
  json["replay_bytes_equal"] = or_null(c.replay_bytes_equal);
  json["core_distance"] = distance_json(distance_of(c));
  json["core_distances"] = distances_json(distance_shares(c));
  json["trainings"] = trainings_json(c);
  if (!c.replay_failure.empty()) json["replay_failure"] = c.replay_failure;
  if (c.scenario_case.scenario.training.until.wanted()) {
    json["runs_that_reached_target"] = c.reached;
    json["simulation_reached_target"] = c.reach_predicted;
  }
  return json;
}

void add_errors(Json& strategies, const Validation& validation) {
  for (const auto& [key, metric] :
       {std::pair{"time_error", "time_s"}, std::pair{"step_time_error", "step_time_ms"}}) {
    for (const auto& [strategy, range] : validation.errors(metric)) {
      Json& entry = strategies[strategy];
      entry[fmt::format("{}_median", key)] = range.median;
      entry[fmt::format("{}_p95", key)] = range.p95;
      entry[fmt::format("{}_max", key)] = range.max;
    }
  }
}

Json range_json(const std::optional<ErrorRange>& range) {
  if (!range) return Json();
  return {{"step_time_error_median", range->median},
          {"step_time_error_p95", range->p95},
          {"step_time_error_max", range->max}};
}

Json strategies_json(const Validation& validation) {
  Json strategies = Json::object();
  add_errors(strategies, validation);
  for (const StrategyVerdict& v : strategy_verdicts(validation)) {
    Json& entry = strategies[v.strategy];
    entry["cases"] = v.cases;
    entry["noisy"] = v.noisy;
    entry["noisy_held"] = v.noisy_held;
    entry["steady"] = range_json(v.steady);
    entry["undrifted"] = range_json(v.undrifted);
    entry["alike"] = range_json(v.alike);
    entry["protocol"] = range_json(v.protocol);
    entry["compute"] = range_json(v.compute);
    entry["worst_case"] =
        v.worst ? Json(title_of(validation.cases[*v.worst].scenario_case)) : Json();
  }
  return strategies;
}

Json goals_json(const Validation& validation) {
  Json goals = Json::array();
  for (const Goal& goal : goals_of(validation)) {
    const bool numbered = !goal.unit.empty();
    goals.push_back({{"goal", goal.name},
                     {"unit", numbered ? Json(goal.unit) : Json()},
                     {"limit", numbered ? Json(goal.limit) : Json()},
                     {"measured", or_null(goal.worst)},
                     {"worst", goal.worst_name.empty() ? Json() : Json(goal.worst_name)},
                     {"met", goal.met},
                     {"of", goal.of},
                     {"is_met", goal.is_met()}});
  }
  return goals;
}

Json pairs_json(const Validation& validation, const PairOrder& pairs) {
  Json inverted = Json::array();
  for (const Inversion& pair : pairs.inverted) {
    inverted.push_back({{"faster", title_of(validation.cases[pair.faster].scenario_case)},
                        {"slower", title_of(validation.cases[pair.slower].scenario_case)},
                        {"measured_ratio", pair.measured},
                        {"predicted_ratio", pair.predicted}});
  }
  return {{"pairs", pairs.ordered}, {"tied", pairs.tied}, {"inverted", inverted}};
}

Json groups_json(const Validation& validation) {
  Json groups = Json::array();
  for (const SeedGroup& group : seed_groups(validation)) {
    Json metrics = Json::array();
    for (const Comparison& c : group.comparisons) metrics.push_back(figures_json(c));
    groups.push_back({{"settings", to_json(group.scenario_case.settings)},
                      {"strategy", group.scenario_case.scenario.training.strategy},
                      {"seeds", group.members.size()},
                      {"metrics", std::move(metrics)}});
  }
  return groups;
}

}  // namespace

Json to_json(const Validation& validation) {
  const Order order = order_of(validation);
  Json json;
  if (!validation.cases.empty()) {
    json["scenario"] = validation.cases.front().scenario_case.scenario.name;
    json["question"] = validation.cases.front().scenario_case.scenario.question;
    json["sentence"] = first_sentence(validation);
    json["source"] = source_of(validation);
  }
  json["repetitions"] = validation.repetitions;
  json["runs_found"] = validation.found;
  json["cases"] = Json::array();
  for (const CaseValidation& c : validation.cases) add_metrics(c, json["cases"]);
  json["verdicts"] = Json::array();
  for (const CaseValidation& c : validation.cases) json["verdicts"].push_back(verdict_json(c));
  json["strategies"] = strategies_json(validation);
  const auto drift = drift_of(validation);
  json["drift"] =
      drift ? Json{{"least", drift->least}, {"median", drift->median}, {"most", drift->most}}
            : Json();
  json["core_distances"] = distances_json(distance_shares(validation));
  json["goals"] = goals_json(validation);
  json["over_seeds"] = groups_json(validation);
  json["weights_equal"] = or_null(validation.weights_equal());
  json["replays_equal"] = or_null(validation.replays_equal());
  json["order_kept"] = or_null(order.all.kept());
  json["order"] = {{"kendall_tau", or_null(order.tau)},
                   {"all", pairs_json(validation, order.all)},
                   {"strategies_weighed", pairs_json(validation, order.weighed)}};
  return json;
}

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string cases_csv(const Validation& validation) {
  static constexpr auto kColumns = std::to_array<std::string_view>(
      {"case", "strategy", "metric", "node", "measured", "q1", "q3", "spread", "predicted",
       "predicted_low", "predicted_high", "error", "protocol_error", "compute_error"});
  const auto known = [](std::optional<double> value) {
    return value.value_or(std::numeric_limits<double>::quiet_NaN());
  };
  CsvWriter csv(kColumns);
  for (const CaseValidation& c : validation.cases) {
    for (const Comparison& each : c.comparisons) {
      csv.text(title_of(c.scenario_case)).text(c.strategy()).text(each.metric).text(each.node);
      csv.number(each.measured).number(each.q1).number(each.q3).number(known(each.spread));
      csv.number(each.predicted).number(each.predicted_low).number(each.predicted_high);
      csv.number(known(each.error));
      csv.number(known(each.protocol_error)).number(known(each.compute_error())).end_row();
    }
  }
  return std::string(csv.written());
}

}  // namespace foretrain
