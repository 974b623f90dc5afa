// The JSON of a validation.
#include "reports/record/caveats.h"
#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/studies/validation/goals.h"
#include "reports/studies/validation/order.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(std::optional<T> value) {
  return value ? Json(*value) : Json();
}

/// The machines and the calibration of both modes.
std::string source_of(const Validation& validation) {
  const CaseValidation& first = validation.cases.front();
  return fmt::format("run on {}, {} kernels, {} {} a case; {}", first.run.machine,
                     first.run.kernel_set, validation.repetitions,
                     validation.repetitions == 1 ? "time" : "times", source_of(first.simulated));
}

/// The basis of measurements and forecasts, other programs that used the machine, cases in which
/// one worker made most of the gradients.
std::string stands_on(const Validation& validation) {
  std::string text = fmt::format("Basis: {}.", source_of(validation));
  const auto used = [](const CaseValidation& each) { return each.run.others_used; };
  const auto most = std::ranges::max_element(validation.cases, {}, used);
  if (const std::string others = others_sentence(most->run); !others.empty()) text += " " + others;
  std::vector<TitledCaveat> uneven;
  for (const CaseValidation& each : validation.cases) {
    const std::string share = uneven_share(each.run);
    if (!share.empty()) uneven.push_back({title_of(each.scenario_case), share});
  }
  return text + caveats_of(uneven);
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
  json["moment_error"] = or_null(c.moment_error);
  json["compute_error"] = or_null(c.compute_error());
  json["difference"] = c.difference;
  json["exact"] = c.exact;
  return json;
}

/// Adds a row for each metric of a case.
void add_metrics(const CaseValidation& c, Json& rows) {
  for (const Comparison& comparison : c.comparisons) {
    Json row = {{"settings", to_json(c.scenario_case.settings)}, {"strategy", c.strategy()}};
    row.update(figures_json(comparison));
    rows.push_back(std::move(row));
  }
}

Json verdict_json(const CaseValidation& c) {
  Json json = {{"case", title_of(c.scenario_case)},
               {"settings", to_json(c.scenario_case.settings)},
               {"strategy", c.strategy()}};
  const Comparison* step = c.find("step_time_ms");
  json["step_time"] = step != nullptr ? figures_json(*step) : Json();
  for (const char* metric : {"examples_per_s", "test_accuracy"}) {
    const Comparison* measured = c.find(metric);
    json[metric] = measured != nullptr ? Json(measured->measured) : Json();
  }
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
    json["stands_on"] = stands_on(validation);
  }
  json["repetitions"] = validation.repetitions;
  json["runs_found"] = validation.found;
  json["cases"] = Json::array();
  for (const CaseValidation& c : validation.cases) add_metrics(c, json["cases"]);
  json["verdicts"] = Json::array();
  for (const CaseValidation& c : validation.cases) json["verdicts"].push_back(verdict_json(c));
  json["strategies"] = strategies_json(validation);
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

}  // namespace foretrain
