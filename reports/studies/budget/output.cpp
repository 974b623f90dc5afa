// What a search over clusters found, in sentences, then as programs read it.
#include "reports/record/summary.h"
#include "reports/record/text.h"
#include "reports/studies/budget/budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

std::string offer_text(const Offer& offer) {
  return fmt::format("{}, {}, batch {}: {} for {}", cluster_text(offer), way_of(offer.cluster),
                     offer.cluster.batch_size, time_text(offer.time_s), money_text(offer.cost));
}

std::string limit_sentence(const Offer& offer) {
  std::string uneven = offer.uneven_share.empty()
                           ? ""
                           : fmt::format(" Not at an equal share: {}.", offer.uneven_share);
  if (offer.limit.resource.empty()) return uneven;
  return fmt::format(" {}{} limits it, {:.0f} % of the critical path.{}", offer.limit.resource,
                     offer.limit.whose.empty() ? "" : " of " + offer.limit.whose,
                     offer.limit.share * 100, uneven);
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

Json target_json(const Target& target) {
  Json json;
  if (target.accuracy > 0) json["accuracy"] = target.accuracy;
  if (target.loss > 0) json["loss"] = target.loss;
  return json;
}

const Target& target_of(const BudgetAnswer& answer) {
  return answer.scenario_case.scenario.training.until;
}

Json offer_json(const Offer& offer, const Bounds& bounds) {
  Json json = cluster_json(offer.cluster);
  json["bought"] = is_bought(offer);
  json["time_s"] = offer.reached ? Json(offer.time_s) : Json();
  json["cost"] = offer.reached ? Json(offer.cost) : Json();
  if (offer.scenario_case.scenario.training.until.wanted()) {
    json["steps_to_target"] = offer.reached ? Json(offer.steps) : Json();
  }
  json["limit"] = limit_json(offer.limit);
  if (!offer.uneven_share.empty()) json["uneven_share"] = offer.uneven_share;
  const std::string failed = what_failed(offer, bounds);
  json["failed_by"] = failed.empty() ? Json() : Json(failed);
  return json;
}

Json offer_or_null(const std::optional<Offer>& offer, const Bounds& bounds) {
  return offer ? offer_json(*offer, bounds) : Json();
}

}  // namespace

std::string money_text(double cost) { return cost_text(cost, ""); }

bool is_bought(const Offer& offer) {
  return std::ranges::any_of(offer.scenario_case.scenario.cluster.hosts, &HostSpec::bought);
}

std::string cluster_text(const Offer& offer) {
  return name_of(offer.cluster) + (is_bought(offer) ? " (bought)" : "");
}

double cost_on(const Case& scenario_case, double time_s) {
  const HostSpec& host = scenario_case.scenario.cluster.hosts.front();
  return host.price.per_hour * host.count * time_s / 3600;
}

std::string what_failed(const Offer& offer, const Bounds& bounds) {
  if (!offer.reached) {
    const TrainingSpec& training = offer.scenario_case.scenario.training;
    return fmt::format("{} not within {} steps", target_text(training.until),
                       grouped(training.steps));
  }
  std::vector<std::string> reasons;
  if (!offer.in_time(bounds)) {
    reasons.push_back(time_text(offer.time_s - bounds.deadline_s) + " too long");
  }
  if (!offer.in_budget(bounds)) {
    reasons.push_back(money_text(offer.cost - bounds.budget) + " over the budget");
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

std::string search_note(const BudgetAnswer& answer) {
  std::string text = fmt::format(
      "What all steps take and cost, of which {} were simulated without gradients, put the "
      "clusters in order. Gradients were then carried out for {} of {} kinds of clusters that "
      "learn alike (strategy, workers, batch; each cluster by itself where time decides the order "
      "of gradients), those nearest to both bounds first: so {} clusters were timed",
      kBudgetSteps, grouped(answer.learned), grouped(answer.kinds), grouped(answer.timed));
  if (!answer.not_reached.empty()) {
    text += fmt::format(", {} of which do not come to {}", grouped(std::ssize(answer.not_reached)),
                        target_text(target_of(answer)));
  }
  return text + ".";
}

std::string first_sentence(const BudgetAnswer& answer) {
  const Target& target = target_of(answer);
  const std::string work = target.wanted() ? "reaches " + target_text(target)
                                           : fmt::format("trains on {} examples",
                                                         grouped(std::llround(answer.examples)));
  const std::string asked =
      fmt::format("{} within {} for {}", work, time_text(answer.bounds.deadline_s),
                  money_text(answer.bounds.budget));
  const std::string name = answer.scenario_case.scenario.name;
  if (!answer.cheapest) {
    return fmt::format("{}: no cluster that was tried {}. {}", name, asked, none_sentence(answer));
  }
  return fmt::format("{}: {}, the cheapest that {}.{}", name, offer_text(*answer.cheapest), asked,
                     limit_sentence(*answer.cheapest));
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
  json["target"] = target_json(target_of(answer));
  json["clusters"] = answer.clusters;
  json["simulated"] = answer.simulated;
  json["dropped"] = answer.dropped;
  if (target_of(answer).wanted()) {
    json["kinds"] = answer.kinds;
    json["learned"] = answer.learned;
    json["timed"] = answer.timed;
  }
  json["cheapest"] = offer_or_null(answer.cheapest, bounds);
  json["cheapest_in_time"] = offer_or_null(answer.in_time, bounds);
  json["fastest_in_budget"] = offer_or_null(answer.in_budget, bounds);
  json["frontier"] = Json::array();
  for (const Offer& each : answer.frontier) json["frontier"].push_back(offer_json(each, bounds));
  json["just_failed"] = Json::array();
  for (const Offer& each : answer.just_failed) {
    json["just_failed"].push_back(offer_json(each, bounds));
  }
  if (target_of(answer).wanted()) {
    json["not_reached"] = Json::array();
    for (const Offer& each : answer.not_reached) {
      json["not_reached"].push_back(offer_json(each, bounds));
    }
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
