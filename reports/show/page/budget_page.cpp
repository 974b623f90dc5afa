// Clusters to rent, as a page.
#include "reports/show/page/sections.h"

#include "reports/record/summary.h"
#include "reports/record/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr double kSecondsInHour = 3600;
constexpr const char* kBudgetSource = "simulated on hosts of the library";

Table offers_table(const char* title, const std::vector<Offer>& offers,
                   const BudgetAnswer& answer) {
  const Target& target = answer.scenario_case.scenario.training.until;
  const std::string steps = target.wanted() ? "steps to " + target_text(target) : "steps";
  Table table{title,
              kBudgetSource,
              {{"cluster"},
               {"trained by"},
               {"workers", true},
               {"batch", true},
               {steps, true},
               {"time [h]", true},
               {"cost", true},
               {"limited by"},
               {"fails by", false, true}},
              {}};
  for (const Offer& each : offers) {
    const std::string failed = what_failed(each, answer.bounds);
    const Limit& limit = each.limit;
    table.rows.push_back(
        {{cluster_text(each)},
         {way_of(each.cluster)},
         {fmt::format("{}", each.cluster.workers)},
         {fmt::format("{}", each.cluster.batch_size)},
         {each.steps > 0 ? grouped(each.steps) : ""},
         {each.reached ? figure(each.time_s / kSecondsInHour) : "-"},
         {each.reached ? money_text(each.cost) : "-"},
         {limit.resource.empty() ? ""
                                 : fmt::format("{}, {:.0f} %", limit.resource, limit.share * 100)},
         {failed.empty() ? "holds both" : failed,
          failed.empty() ? Cell::Tone::good : Cell::Tone::bad}});
  }
  table.drop_empty_columns();
  return table;
}

}  // namespace

Page budget_page(const BudgetAnswer& answer) {
  const Scenario& scenario = answer.scenario_case.scenario;
  Page page{scenario.name + ": foretrain report", scenario.question, first_sentence(answer), {}};
  Section section{
      "budget", "Clusters to rent", fmt::format("{}", fmt::join(answer.notes, " ")), {}, {}};
  if (!answer.frontier.empty()) {
    section.tables.push_back(offers_table("Frontier", answer.frontier, answer));
  }
  if (!answer.just_failed.empty()) {
    section.tables.push_back(offers_table("Just failed", answer.just_failed, answer));
  }
  page.sections.push_back(std::move(section));
  return page;
}

}  // namespace foretrain
