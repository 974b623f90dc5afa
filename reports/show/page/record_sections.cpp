// The sections of a page for records.
#include "reports/show/figures/of_records.h"
#include "reports/show/page/result_page.h"
#include "reports/show/page/sections.h"
#include "reports/studies/trainings/trainings_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

/// One figure for each record that has it.
Alternatives choice_of(const std::vector<Record>& records, const char* name,
                       Figure (*make)(const Record&, const std::string&)) {
  const Legend legend = legend_of(records);
  Alternatives choice{"Record", {}, {}};
  for (std::size_t i = 0; i < std::min(records.size(), kDetailedRecords); ++i) {
    const std::string number = records.size() > 1 ? fmt::format("_{}", i + 1) : "";
    Figure figure = make(records[i], name + number);
    if (figure.panels.empty()) continue;
    choice.titles.push_back(legend.titles[i]);
    choice.figures.push_back(std::move(figure));
  }
  return choice;
}

/// Steps by worker, if the scenario has stragglers.
Figure straggling_steps(const Record& record, const std::string& name) {
  if (record.scenario_case.scenario.stragglers.empty()) return {name, "", {}};
  return steps_by_worker(record, name);
}

void add(Section& section, Figure figure) {
  if (!figure.panels.empty()) section.figures.push_back(std::move(figure));
}

void add(Section& section, Alternatives choice) {
  if (!choice.figures.empty()) section.choices.push_back(std::move(choice));
}

std::string of_the_first(const std::vector<Record>& records) {
  if (records.size() <= kDetailedRecords) return {};
  return fmt::format(" The first {} of {} records are drawn.", kDetailedRecords, records.size());
}

}  // namespace

std::vector<Section> sections_of(const std::vector<Record>& records,
                                 const std::vector<std::string>& builds) {
  if (records.empty()) return {};
  constexpr std::size_t kMostNodes = 40;
  const Result result = result_of(records, builds);
  Section summary{
      "summary", "Summary", result.stands_on, {page_table(result.tables.front(), {})}, {}};
  const ResultTable& nodes = result.tables.back();
  if (!nodes.rows.empty() && nodes.rows.size() <= kMostNodes) {
    summary.tables.push_back(page_table(nodes, {}));
    summary.tables.back().folded = records.size() > 1;
  }

  Section learning{"learning",
                   "Learning",
                   "Loss and accuracy on the test examples, against time, then against steps: what "
                   "a strategy gains by faster steps and loses by stale gradients.",
                   {},
                   {}};
  add(learning, learning_curves(records));
  add(learning, learning_by_step(records));

  Section phases{"phases",
                 "Phases of a step",
                 "Where the time of a mean step goes, evaluation included (step times elsewhere "
                 "are medians without evaluation). Phases are exposed time and add up to the step: "
                 "work that overlaps other work is not counted.",
                 {},
                 {}};
  add(phases, phase_bars(records));

  Section used{"resources",
               "CPU, memory, network",
               "Each node on the same time axis, one point per interval." + of_the_first(records),
               {},
               {}};
  add(used, choice_of(records, "resources", resources));

  Section when{"timeline",
               "Timeline",
               "Steps from the middle of the training. Phases of a step are drawn one after "
               "another in their order; of a server only the updates that workers waited for. "
               "Arrows are messages: gradients point down, new parameters up; if there are many, "
               "those of some steps." +
                   of_the_first(records),
               {},
               {}};
  add(when, choice_of(records, "timeline", timeline));

  Section steps{"steps",
                "Step by step",
                "Every step of every worker. For a long training only the lowest and the highest "
                "value of each stretch of steps are drawn, so that no outlier is lost.",
                {},
                {}};
  add(steps, step_by_step(records));
  if (records.size() > 1) add(steps, choice_of(records, "steps_by_worker", straggling_steps));

  Section late{"staleness",
               "Staleness",
               "Staleness: updates of the parameters between the pull and the push of a gradient.",
               {},
               {}};
  add(late, staleness_histogram(records));
  return {std::move(summary), std::move(learning), std::move(phases), std::move(used),
          std::move(when),    std::move(steps),    std::move(late)};
}

}  // namespace foretrain
