#include "reports/show/figures/of_budget.h"

#include "reports/record/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace foretrain {
namespace {

constexpr double kSecondsAnHour = 3600;

/// Where it is known when.
void add_offer(Series& series, const Offer& offer) {
  if (!offer.reached) return;
  series.x.push_back(offer.time_s / kSecondsAnHour);
  series.y.push_back(offer.cost);
  series.names.push_back(fmt::format("{}, {}, batch {}", cluster_text(offer), way_of(offer.cluster),
                                     offer.cluster.batch_size));
}

}  // namespace

Figure budget_figure(const BudgetAnswer& answer) {
  Series frontier{"frontier", {}, {}, true, 0, Mark::line};
  for (const Offer& each : answer.frontier) add_offer(frontier, each);
  Series failed{"just failed", {}, {}, false, 1, Mark::points};
  for (const Offer& each : answer.just_failed) add_offer(failed, each);
  Series chosen{"cheapest that holds both", {}, {}, false, 2, Mark::points};
  if (answer.cheapest) add_offer(chosen, *answer.cheapest);

  // As far as the points reach, and the corner that both bounds make.
  double longest_h = answer.bounds.deadline_s / kSecondsAnHour;
  double dearest = answer.bounds.budget;
  double shortest_h = longest_h;
  double least = dearest;
  for (const Series* series : {&frontier, &failed}) {
    for (const double hours : series->x) {
      longest_h = std::max(longest_h, hours);
      shortest_h = std::min(shortest_h, hours);
    }
    for (const double cost : series->y) {
      dearest = std::max(dearest, cost);
      least = std::min(least, cost);
    }
  }
  const double deadline_h = answer.bounds.deadline_s / kSecondsAnHour;
  const double budget = answer.bounds.budget;
  Series deadline{"deadline", {deadline_h, deadline_h}, {least, dearest}, false, 0, Mark::guide};
  Series most{"budget", {shortest_h, longest_h}, {budget, budget}, false, 0, Mark::guide};

  const Target& target = answer.scenario_case.scenario.training.until;
  const std::string time = target.wanted() ? "time to " + target_text(target) : "time";
  Panel panel{
      "what each cluster takes, what it costs", time + " [h]", "cost", {}, {}, Logarithmic::both};
  for (Series* series : {&deadline, &most, &frontier, &failed, &chosen}) {
    if (!series->x.empty()) panel.series.push_back(std::move(*series));
  }
  return {"budget",
          fmt::format("{}: clusters by {} and cost", answer.scenario_case.scenario.name, time),
          {std::move(panel)},
          kBudgetSource};
}

}  // namespace foretrain
