// What a search over clusters found, in sentences, then as programs read it.
#include "reports/record/summary.h"
#include "reports/record/text.h"
#include "reports/studies/budget/budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

std::string offer_text(const Offer& offer) {
  std::string text =
      fmt::format("{}, {}, batch {}: {} for {}", name_of(offer.cluster), way_of(offer.cluster),
                  offer.cluster.batch_size, time_text(offer.time_s), money_text(offer.cost));
  return text;
}

std::string limit_sentence(const Offer& offer) {
  if (offer.limit.resource.empty()) return {};
  return fmt::format(" {}{} limits it, {:.0f} % of the critical path.", offer.limit.resource,
                     offer.limit.whose.empty() ? "" : " of " + offer.limit.whose,
                     offer.limit.share * 100);
}

std::string none_sentence(const BudgetAnswer& answer) {
  const auto nearest = [&](const std::optional<Offer>& offer, const char* none) {
    if (!offer) return std::string(none);
    return fmt::format("{}, {}", offer_text(*offer), what_failed(*offer, answer.bounds));
  };
  return fmt::format("The fastest within the budget: {}. The cheapest in time: {}.",
                     nearest(answer.in_budget, "none"), nearest(answer.in_time, "none"));
}

Json limit_json(const Limit& limit) {
  if (limit.resource.empty()) return nullptr;
  return {{"resource", limit.resource}, {"share", limit.share}};
}

Json cluster_json(const RentedCluster& cluster) {
  return {{"host", cluster.host},
          {"hosts", cluster.hosts},
          {"workers", cluster.workers},
          {"strategy", cluster.strategy},
          {"servers", cluster.servers},
          {"group", cluster.group},
          {"batch_size", cluster.batch_size}};
}

Json offer_json(const Offer& offer, const Bounds& bounds) {
  Json json = cluster_json(offer.cluster);
  json["time_s"] = offer.time_s;
  json["cost"] = offer.cost;
  json["limit"] = limit_json(offer.limit);
  const std::string failed = what_failed(offer, bounds);
  json["failed_by"] = failed.empty() ? Json() : Json(failed);
  return json;
}

Json offer_or_null(const std::optional<Offer>& offer, const Bounds& bounds) {
  return offer ? offer_json(*offer, bounds) : Json();
}

}  // namespace

std::string time_text(double time_s) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (time_s >= kHour) return figure(time_s / kHour) + " h";
  return time_s >= kMinute ? figure(time_s / kMinute) + " min" : figure(time_s) + " s";
}

std::string money_text(double cost) { return cost_text(cost, ""); }

std::string what_failed(const Offer& offer, const Bounds& bounds) {
  std::vector<std::string> reasons;
  if (!offer.in_time(bounds)) {
    reasons.push_back(time_text(offer.time_s - bounds.deadline_s) + " too long");
  }
  if (!offer.in_budget(bounds)) {
    reasons.push_back(money_text(offer.cost - bounds.budget) + " over the budget");
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

std::string first_sentence(const BudgetAnswer& answer) {
  const std::string asked =
      fmt::format("{} examples within {} for {}", grouped(std::llround(answer.examples)),
                  time_text(answer.bounds.deadline_s), money_text(answer.bounds.budget));
  const std::string name = answer.scenario_case.scenario.name;
  if (!answer.cheapest) {
    return fmt::format("{}: no cluster that was tried trains on {}. {}", name, asked,
                       none_sentence(answer));
  }
  return fmt::format("{}: {}, the cheapest that trains on {}.{}", name,
                     offer_text(*answer.cheapest), asked, limit_sentence(*answer.cheapest));
}

Json to_json(const BudgetAnswer& answer) {
  const Bounds& bounds = answer.bounds;
  Json json;
  json["name"] = answer.scenario_case.scenario.name;
  json["sentence"] = first_sentence(answer);
  json["mode"] = "simulate";
  json["deadline_s"] = bounds.deadline_s;
  json["budget"] = bounds.budget;
  json["examples"] = answer.examples;
  json["clusters"] = answer.clusters;
  json["simulated"] = answer.simulated;
  json["dropped"] = answer.dropped;
  json["cheapest"] = offer_or_null(answer.cheapest, bounds);
  json["cheapest_in_time"] = offer_or_null(answer.in_time, bounds);
  json["fastest_in_budget"] = offer_or_null(answer.in_budget, bounds);
  json["frontier"] = Json::array();
  for (const Offer& each : answer.frontier) json["frontier"].push_back(offer_json(each, bounds));
  json["just_failed"] = Json::array();
  for (const Offer& each : answer.just_failed) {
    json["just_failed"].push_back(offer_json(each, bounds));
  }
  json["refused"] = Json::array();
  for (const Refused& each : answer.refused) {
    json["refused"].push_back(cluster_json(each.cluster));
    json["refused"].back()["why"] = each.why;
  }
  json["notes"] = answer.notes;
  return json;
}

}  // namespace foretrain
