// Clusters to rent, as a table.
#include "reports/record/summary.h"
#include "reports/record/text.h"
#include "reports/show/terminal/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

/// Cluster, way, batch, time, cost, whether it holds the bounds.
using OfferFields = std::array<std::string, 6>;

/// Whether it holds the bounds, in what is left of a line.
std::string_view verdict_of(const Offer& offer, const Bounds& bounds) {
  if (offer.holds(bounds)) return "holds";
  if (offer.in_time(bounds)) return "too dear";
  return offer.in_budget(bounds) ? "too long" : "neither";
}

OfferFields fields_of_offer(const Offer& offer, const Bounds& bounds) {
  return {name_of(offer.cluster),
          way_of(offer.cluster),
          fmt::format("{}", offer.cluster.batch_size),
          time_text(offer.time_s),
          money_text(offer.cost),
          fmt::format("  {}", verdict_of(offer, bounds))};
}

/// As wide as what stands in them. Where a line had no room for that, the way to train is cut.
std::vector<std::string> offer_lines(const std::vector<OfferFields>& rows) {
  constexpr std::array kSides{1, 1, -1, -1, -1, 1};  // numbers stand at the right
  std::array<int, kSides.size()> widths{2, 0, 2, 2, 2, 0};
  int all = 2;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    std::size_t widest = 0;
    for (const OfferFields& row : rows) widest = std::max(widest, columns_of(row[i]));
    widths[i] = kSides[i] * (widths[i] + static_cast<int>(widest));
    all += std::abs(widths[i]);
  }
  const auto room = static_cast<int>(std::max(text_columns(), kTerminalColumns));
  widths[1] = std::max(0, widths[1] - std::max(0, all - room));
  std::vector<std::string> lines;
  lines.reserve(rows.size());
  for (const OfferFields& f : rows) {
    lines.push_back(table_line(widths, {f[0], f[1], f[2], f[3], f[4], f[5]}));
  }
  return lines;
}

/// What else there is to say of an offer; empty: nothing.
std::string below_offer(const Offer& offer, const Target& target) {
  std::vector<std::string> more;
  if (is_bought(offer)) more.emplace_back("bought, its price over the years that it is kept");
  if (offer.steps > 0) {
    more.push_back(fmt::format("{} steps to {}", grouped(offer.steps), target_text(target)));
  }
  if (!offer.limit.resource.empty()) {
    more.push_back(
        fmt::format("{} limits it, {:.0f} %", offer.limit.resource, offer.limit.share * 100));
  }
  return more.empty() ? std::string() : hang(fmt::format("      {}\n", fmt::join(more, "; ")), 6);
}

std::string frontier_table(const BudgetAnswer& answer) {
  if (answer.frontier.empty()) return {};
  std::string text = answer.cheapest
                         ? "time and cost: no other within the budget is faster and cheaper\n"
                         : "time and cost: no other is faster and cheaper\n";
  std::vector<OfferFields> rows;
  rows.reserve(answer.frontier.size() + 1);
  rows.push_back({"cluster", "trained by", "batch", "time", "cost", ""});
  for (const Offer& each : answer.frontier) rows.push_back(fields_of_offer(each, answer.bounds));
  const std::vector<std::string> lines = offer_lines(rows);
  text += lines.front();
  const Target& target = answer.scenario_case.scenario.training.until;
  for (std::size_t i = 0; i < answer.frontier.size(); ++i) {
    text += lines[i + 1] + below_offer(answer.frontier[i], target);
  }
  return text;
}

std::string failed_table(const BudgetAnswer& answer) {
  if (answer.just_failed.empty()) return {};
  std::string text = "just failed\n";
  for (const Offer& each : answer.just_failed) {
    std::string line = fmt::format("  {}, {}, batch {}: ", cluster_text(each), way_of(each.cluster),
                                   each.cluster.batch_size);
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
