// The answer of a cluster search as a sentence, JSON, a Result.
#include "reports/record/json_object.h"
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/budget/budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace foretrain {
namespace {

using ColumnKind = ResultColumn::Kind;
using Json = nlohmann::ordered_json;

bool is_bought(const Offer& offer) {
  return std::ranges::any_of(offer.scenario_case.scenario.cluster.hosts, &HostSpec::bought);
}

std::string cluster_text(const Offer& offer) {
  return name_of(offer.cluster) + (is_bought(offer) ? " (bought)" : "");
}

std::string offer_text(const Offer& offer, const Bounds& bounds) {
  return fmt::format(
      "{}, {}, batch {}: {} ({} to {}) for {}", cluster_text(offer), way_of(offer.cluster),
      offer.cluster.batch_size, time_text(offer.time_s), time_text(offer.time_s * offer.range.low),
      time_text(offer.time_s * offer.range.high), cost_text(offer.cost, bounds.currency));
}

/// Its bottleneck, the bounds that it meets or misses by less than the forecast's error, the number
/// of other clusters that are as cheap.
std::string about_cheapest(const Offer& offer, const BudgetAnswer& answer) {
  std::string text;
  if (!offer.limit.resource.empty()) {
    text += fmt::format(" {}{} limits it, {:.0f} % of the critical path.", offer.limit.resource,
                        offer.limit.whose.empty() ? "" : " of " + offer.limit.whose,
                        offer.limit.share * 100);
  }
  std::vector<std::string> close;
  if (offer.range.close(offer.time_s, answer.bounds.deadline_s)) close.emplace_back("deadline");
  if (offer.range.close(offer.cost, answer.bounds.budget)) close.emplace_back("budget");
  const double error = offer.range.error() * 100;
  if (!close.empty() && error > 0) {
    text += fmt::format(" It is close to the {}: within the forecast's error, {:.0f} %.",
                        fmt::join(close, " and the "), error);
  }
  if (answer.as_cheap > 0) {
    text +=
        fmt::format(" Other clusters that are as cheap within the forecast's error, {:.0f} %: {}.",
                    error, answer.as_cheap);
  }
  if (offer.uneven_share.empty()) return text;
  return text + fmt::format(" Workers make unequal shares: {}.", offer.uneven_share);
}

Json cluster_json(const Offer& offer) {
  const RentedCluster& cluster = offer.cluster;
  return {{"host", cluster.host},
          {"hosts", cluster.hosts},
          {"workers", cluster.workers},
          {"strategy", cluster.strategy},
          {"servers", cluster.servers},
          {"group", cluster.group},
          {"batch_size", cluster.batch_size}};
}

Json target_json(const Target& target) {
  Json json;
  if (target.accuracy > 0) json["accuracy"] = target.accuracy;
  if (target.loss > 0) json["loss"] = target.loss;
  return json;
}

Json offer_json(const Offer& offer, const Bounds& bounds) {
  const auto if_reached = [&](double value) { return offer.reached ? Json(value) : Json(); };
  Json json = cluster_json(offer);
  json["cluster"] = cluster_text(offer);
  json["way"] = way_of(offer.cluster);
  json["bought"] = is_bought(offer);
  json["time_s"] = if_reached(offer.time_s);
  json["time_s_low"] = if_reached(offer.time_s * offer.range.low);
  json["time_s_high"] = if_reached(offer.time_s * offer.range.high);
  json["cost"] = if_reached(offer.cost);
  if (offer.scenario_case.scenario.training.until.wanted()) {
    json["steps_to_target"] = offer.reached ? Json(offer.steps) : Json();
  }
  json["limit"] = offer.limit.resource.empty()
                      ? Json()
                      : Json{{"resource", offer.limit.resource}, {"share", offer.limit.share}};
  if (!offer.uneven_share.empty()) json["uneven_share"] = offer.uneven_share;
  const std::string failed = what_failed(offer, bounds);
  json["failed_by"] = failed.empty() ? Json() : Json(failed);
  return json;
}

/// A row for each offer.
ResultTable offers_table(const std::string& name, const std::string& title,
                         const JsonObject& budget) {
  const std::string currency = budget.known_text("currency");
  ResultTable table{name,
                    title,
                    {{"cluster", "cluster", ColumnKind::words},
                     {"way", "trained by", ColumnKind::words},
                     {"batch_size", "batch", ColumnKind::count},
                     {"time_s", "time", ColumnKind::time},
                     {"cost", currency.empty() ? "cost" : fmt::format("cost [{}]", currency)},
                     {"steps_to_target", "steps", ColumnKind::count},
                     {"failed_by", "fails by", ColumnKind::words},
                     {"limit.resource", "limited by", ColumnKind::note},
                     {"uneven_share", "workers make unequal shares", ColumnKind::note}},
                    {}};
  add_rows(table, budget.objects(name.c_str()));
  return table;
}

}  // namespace

std::string what_failed(const Offer& offer, const Bounds& bounds) {
  if (!offer.reached) {
    const TrainingSpec& training = offer.scenario_case.scenario.training;
    return fmt::format("{} not reached in {} steps", target_text(training.until),
                       grouped(training.steps));
  }
  std::vector<std::string> reasons;
  if (!offer.in_time(bounds)) {
    reasons.push_back(offer.range.close(offer.time_s, bounds.deadline_s)
                          ? "close to the deadline"
                          : time_text(offer.time_s - bounds.deadline_s) + " too long");
  }
  if (!offer.in_budget(bounds)) {
    reasons.push_back(offer.range.close(offer.cost, bounds.budget)
                          ? "close to the budget"
                          : cost_text(offer.cost - bounds.budget, bounds.currency) +
                                " over the budget");
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

std::string first_sentence(const BudgetAnswer& answer) {
  const Target& target = answer.base.target();
  const std::string work =
      target.wanted()
          ? "reaches " + target_text(target)
          : fmt::format("trains on {} examples", grouped(std::llround(answer.base.examples)));
  const std::string asked =
      fmt::format("{} within {} for {}", work, time_text(answer.bounds.deadline_s),
                  cost_text(answer.bounds.budget, answer.bounds.currency));
  const std::string name = answer.base.scenario_case.scenario.name;
  if (const Offer* cheapest = answer.cheapest()) {
    return fmt::format("{}: {}, the cheapest that {}.{}", name,
                       offer_text(*cheapest, answer.bounds), asked,
                       about_cheapest(*cheapest, answer));
  }
  const auto nearest = [&](const Offer* offer) {
    if (offer == nullptr) return std::string("none");
    return fmt::format("{}, {}", offer_text(*offer, answer.bounds),
                       what_failed(*offer, answer.bounds));
  };
  return fmt::format(
      "{}: no cluster that was tried {}. Fastest within the budget: {}. Cheapest within the "
      "deadline: {}.",
      name, asked, nearest(answer.in_budget()), nearest(answer.in_time()));
}

Json to_json(const BudgetAnswer& answer) {
  const Target& target = answer.base.target();
  const auto offer_or_null = [&](const Offer* offer) {
    return offer != nullptr ? offer_json(*offer, answer.bounds) : Json();
  };
  const bool none = answer.cheapest() == nullptr;
  const std::string& currency = answer.bounds.currency;
  Json json{{"name", answer.base.scenario_case.scenario.name},
            {"sentence", first_sentence(answer)},
            {"mode", "simulate"},
            {"deadline_s", answer.bounds.deadline_s},
            {"budget", answer.bounds.budget},
            {"currency", currency.empty() ? Json() : Json(currency)},
            {"examples", answer.base.examples},
            {"target", target_json(target)},
            {"clusters", answer.clusters},
            {"simulated", answer.simulated}};
  if (target.wanted()) {
    json["kinds"] = answer.kinds;
    json["learned"] = answer.learned;
    json["timed"] = answer.timed;
  }
  json["cheapest"] = offer_or_null(answer.cheapest());
  json["as_cheap"] = answer.as_cheap;
  json["cheapest_in_time"] = offer_or_null(none ? answer.in_time() : nullptr);
  json["fastest_in_budget"] = offer_or_null(none ? answer.in_budget() : nullptr);
  for (const char* list : {"frontier", "just_failed", "not_reached", "refused"}) {
    json[list] = Json::array();
  }
  for (const Offer& each : answer.frontier) {
    json["frontier"].push_back(offer_json(each, answer.bounds));
    if (!each.holds(answer.bounds)) json["just_failed"].push_back(json["frontier"].back());
  }
  for (const Offer& each : answer.not_reached) {
    json["not_reached"].push_back(offer_json(each, answer.bounds));
  }
  for (const Offer& each : answer.refused) {
    json["refused"].push_back(cluster_json(each));
    json["refused"].back()["why"] = each.refused;
  }
  json["notes"] = assumptions(answer);
  return json;
}

Result budget_result(const JsonObject& budget) {
  Result result{budget.text("sentence"), {}, {}, budget.texts("notes")};
  // The leading notes: the work, compute times, clusters that could not be simulated.
  const auto rest = result.notes.begin() + (budget.objects("refused").empty() ? 2 : 3);
  result.stands_on = fmt::format("{}", fmt::join(result.notes.begin(), rest, " "));
  result.notes.erase(result.notes.begin(), rest);
  result.tables = {offers_table("frontier", "No other is faster and cheaper", budget),
                   offers_table("not_reached", "Not reached within the scenario's steps", budget)};
  result.tables.back().full = true;
  return result;
}

}  // namespace foretrain
