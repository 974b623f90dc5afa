#include "reports/show/terminal/budget_table.h"

#include "reports/record/summary.h"
#include "reports/record/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace foretrain {
namespace {

/// 2 + 20 + 22 + 7 + 10 + 9 = 70 columns, then what limits it in 10.
std::string offer_row(std::string_view cluster, std::string_view way, std::string_view batch,
                      std::string_view time, std::string_view cost, std::string_view rest) {
  std::string row = fmt::format("  {}{}{}{}{}", left(cluster, 20), left(way, 22), right(batch, 7),
                                right(time, 10), right(cost, 9));
  if (!rest.empty()) row += fmt::format("  {}", rest);
  return row + "\n";
}

std::string offer_line(const Offer& offer, std::string_view rest) {
  return offer_row(name_of(offer.cluster), way_of(offer.cluster),
                   fmt::format("{}", offer.cluster.batch_size), time_text(offer.time_s),
                   money_text(offer.cost), rest);
}

/// Whether it holds the bounds, in what is left of a line.
std::string_view verdict_of(const Offer& offer, const Bounds& bounds) {
  if (offer.holds(bounds)) return "holds";
  if (offer.in_time(bounds)) return "too dear";
  return offer.in_budget(bounds) ? "too long" : "neither";
}

std::string frontier_table(const BudgetAnswer& answer) {
  if (answer.frontier.empty()) return {};
  const Target& target = answer.scenario_case.scenario.training.until;
  std::string text = answer.cheapest
                         ? "time and cost: no other within the budget is faster and cheaper\n"
                         : "time and cost: no other is faster and cheaper\n";
  text += offer_row("cluster", "trained by", "batch", "time", "cost", "");
  for (const Offer& each : answer.frontier) {
    text += offer_line(each, verdict_of(each, answer.bounds));
    std::vector<std::string> more;
    if (each.steps > 0) {
      more.push_back(fmt::format("{} steps to {}", grouped(each.steps), target_text(target)));
    }
    if (!each.limit.resource.empty()) {
      more.push_back(
          fmt::format("{} limits it, {:.0f} %", each.limit.resource, each.limit.share * 100));
    }
    if (!more.empty()) text += hang(fmt::format("      {}\n", fmt::join(more, "; ")), 6);
  }
  return text;
}

std::string failed_table(const BudgetAnswer& answer) {
  if (answer.just_failed.empty()) return {};
  std::string text = "just failed\n";
  for (const Offer& each : answer.just_failed) {
    std::string line = fmt::format("  {}, {}, batch {}: ", name_of(each.cluster),
                                   way_of(each.cluster), each.cluster.batch_size);
    if (each.reached) {
      line += fmt::format("{} for {}, ", time_text(each.time_s), money_text(each.cost));
    }
    text += hang(line + what_failed(each, answer.bounds) + "\n", 6);
  }
  return text;
}

std::string tried_text(const BudgetAnswer& answer) {
  std::string text = fmt::format("Of {} clusters and ways to train {} were simulated",
                                 grouped(answer.clusters), grouped(answer.simulated));
  if (answer.dropped > 0) {
    text += fmt::format(
        ", {} were not: with fewer hosts they cost more than the budget already, and more hosts "
        "make nothing cheaper",
        grouped(answer.dropped));
  }
  text = wrap(text + ".");
  if (answer.refused.empty()) return text;
  const Refused& first = answer.refused.front();
  return text + wrap(fmt::format("{} could not be simulated; {}, {}, batch {}: {}",
                                 grouped(std::ssize(answer.refused)), name_of(first.cluster),
                                 way_of(first.cluster), first.cluster.batch_size, first.why));
}

std::string notes_text(const BudgetAnswer& answer) {
  std::string text;
  for (const std::string& note : answer.notes) text += wrap(note);
  return text;
}

}  // namespace

std::string budget_table(const BudgetAnswer& answer) {
  std::string text = wrap(first_sentence(answer));
  for (const std::string& part :
       {frontier_table(answer), failed_table(answer), tried_text(answer), notes_text(answer)}) {
    if (!part.empty()) text += "\n" + part;
  }
  return text;
}

}  // namespace foretrain
