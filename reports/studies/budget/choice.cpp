// Which of the clusters that were tried are told.
#include "reports/studies/budget/search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace foretrain {
namespace {

std::optional<Offer> first_that(const std::vector<Offer>& offers, auto&& holds) {
  const auto found = std::ranges::find_if(offers, holds);
  return found == offers.end() ? std::nullopt : std::optional(*found);
}

void sort_by_cost(std::vector<Offer>& offers) {
  std::ranges::stable_sort(offers, {}, [](const Offer& o) { return std::pair(o.cost, o.time_s); });
}

/// The best way of each host and count, where that fails.
std::vector<Offer> just_failed_of(const std::vector<Offer>& offers, const Bounds& bounds) {
  std::map<std::string, const Offer*> best;
  for (const Offer& each : offers) {
    const auto [found, is_new] = best.emplace(name_of(each.cluster), &each);
    if (!is_new && miss_of(each, bounds) < miss_of(*found->second, bounds)) found->second = &each;
  }
  std::vector<Offer> failed;
  for (const auto& [name, offer] : best) {
    if (!offer->holds(bounds)) failed.push_back(*offer);
  }
  std::ranges::stable_sort(failed, {}, [&](const Offer& each) { return miss_of(each, bounds); });
  if (failed.size() > kMostJustFailed) failed.resize(kMostJustFailed);
  return failed;
}

}  // namespace

double miss_of(const Offer& offer, const Bounds& bounds) {
  if (!offer.reached) return std::numeric_limits<double>::infinity();
  return std::max(offer.time_s / bounds.deadline_s, offer.cost / bounds.budget);
}

std::vector<Offer> frontier_of(std::vector<Offer> offers) {
  sort_by_cost(offers);
  std::vector<Offer> frontier;
  for (Offer& each : offers) {
    if (frontier.empty() || each.time_s < frontier.back().time_s) {
      frontier.push_back(std::move(each));
    }
  }
  return frontier;
}

void choose_offers(std::vector<Offer> offers, BudgetAnswer& answer) {
  const Bounds& bounds = answer.bounds;
  const auto in_time = [&](const Offer& offer) { return offer.in_time(bounds); };
  const auto in_budget = [&](const Offer& offer) { return offer.in_budget(bounds); };
  answer.just_failed = just_failed_of(offers, bounds);
  const auto never =
      std::stable_partition(offers.begin(), offers.end(), std::mem_fn(&Offer::reached));
  answer.not_reached.assign(never, offers.end());
  offers.erase(never, offers.end());
  sort_by_cost(offers);
  answer.cheapest = first_that(offers, [&](const Offer& offer) { return offer.holds(bounds); });
  answer.frontier = frontier_of(offers);
  if (answer.cheapest) {
    std::erase_if(answer.frontier, [&](const Offer& each) { return !in_budget(each); });
    return;
  }
  answer.in_time = first_that(offers, in_time);
  std::ranges::stable_sort(offers, {}, [](const Offer& o) { return std::pair(o.time_s, o.cost); });
  answer.in_budget = first_that(offers, in_budget);
}

}  // namespace foretrain
