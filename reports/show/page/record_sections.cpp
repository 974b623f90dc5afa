// What a page shows of records.
#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/record/text.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/page/sections.h"
#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/tables.h"
#include "reports/studies/ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

std::optional<double> times(std::optional<double> value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

std::string outcome_of(const Record& record) {
  if (record.outcome == Outcome::done) return "done";
  return record.failure.empty() ? std::string(name_of(record.outcome)) : record.failure;
}

std::string if_any(std::int64_t count, Duration time) {
  return count > 0 ? figure(time.seconds()) : "-";
}

std::string time_to_target_cell(const Target& target, const Summary& s) {
  if (passed_unseen(target, s)) return "passed unseen between evaluations";
  return target.wanted() && !s.time_to_target_s ? "not reached" : figure(s.time_to_target_s);
}

Table summary_of(const std::vector<Record>& records, const std::vector<std::string>& builds) {
  const Legend legend = legend_of(records);
  const bool broken =
      std::ranges::any_of(records, [](const Record& r) { return r.outcome != Outcome::done; });
  Table table{"What came out",
              {},
              // On 400 pixels the first four columns are seen.
              {{"record"},
               {"time [s]", true},
               {"test accuracy", true},
               {"time to target [s]", true},
               {"step, median without evaluation [ms]", true},
               {"examples/s", true},
               {"gradients/s", true},
               {"cost", true},
               {"test loss [nats]", true},
               {"outcome", false, broken},
               {"steps", true},
               {"staleness, mean [updates]", true},
               {"sent [MB]", true},
               {"checkpoints [s]", true},
               {"restarts", true},
               {"lost by them [s]", true},
               {"down [s]", true},
               {"from", false, true},
               {"written by", false, true}},
              {}};
  table.rows.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Summary s = summarize(records[i]);
    const auto tone = records[i].outcome == Outcome::done ? Cell::Tone::plain : Cell::Tone::bad;
    const RestartTotals& restarts = records[i].restarts;
    const Target& target = records[i].scenario_case.scenario.training.until;
    table.rows.push_back({{legend.titles[i]},
                          {figure(s.time_s)},
                          {figure(s.test_accuracy)},
                          {time_to_target_cell(target, s)},
                          {figure(times(s.step_time_s_median, 1e3))},
                          {figure(s.examples_per_s)},
                          {figure(s.gradients_per_s)},
                          {cost_text(s.cost, s.price.currency)},
                          {figure(s.final_loss)},
                          {outcome_of(records[i]), tone},
                          {grouped(s.steps)},
                          {figure(s.staleness_mean)},
                          {figure(static_cast<double>(s.bytes_sent.value) / 1e6)},
                          {if_any(records[i].checkpoints.count, records[i].checkpoints.time)},
                          {restarts.count > 0 ? grouped(restarts.count) : "-"},
                          {if_any(restarts.count, restarts.lost)},
                          {if_any(restarts.count, restarts.down)},
                          {source_of(records[i])},
                          {i < builds.size() && !builds[i].empty() ? builds[i] : "-"}});
  }
  table.drop_empty_columns();
  return table;
}

/// The nodes, where they are few.
Table nodes_of(const std::vector<Record>& records) {
  constexpr std::size_t kMostNodes = 40;
  const Legend legend = legend_of(records);
  Table table{"Nodes",
              {},
              {{"node"},
               {"record"},
               {"host"},
               {"core", true},
               {"CPU [% of a core]", true},
               {"memory, most [MB]", true},
               {"sent [MB]", true},
               {"received [MB]", true}},
              {},
              records.size() > 1};
  std::size_t nodes = 0;
  for (const Record& record : records) nodes += record.nodes.size();
  if (nodes > kMostNodes) return table;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const NodeTotals& node : records[i].nodes) {
      const auto megabytes = [](Bytes bytes) {
        return bytes.value < 0 ? "-" : figure(static_cast<double>(bytes.value) / 1e6);
      };
      table.rows.push_back({{node.role},
                            {legend.titles[i]},
                            {node.host},
                            {node.core < 0 ? "-" : fmt::format("{}", node.core)},
                            {figure(cpu_percent(records[i], node))},
                            {megabytes(node.rss)},
                            {megabytes(node.tx)},
                            {megabytes(node.rx)}});
    }
  }
  return table;
}

/// One figure of each record that has it.
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

/// Where somebody looks for a straggler.
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
  return fmt::format(" Drawn are the first {} of {} records.", kDetailedRecords, records.size());
}

}  // namespace

std::string sentence_of(const std::vector<Record>& records) {
  if (records.empty()) return {};
  if (records.size() == 1) return record_sentence(records.front());
  CaseTable table;
  for (const Record& record : records) table.add(record);
  return table.sentence();
}

std::vector<Section> sections_of(const std::vector<Record>& records,
                                 const std::vector<std::string>& builds) {
  if (records.empty()) return {};
  Section summary{"summary",
                  "Summary",
                  fmt::format("{}", fmt::join(stands_on(records), " ")),
                  {summary_of(records, builds)},
                  {}};
  if (Table nodes = nodes_of(records); !nodes.rows.empty())
    summary.tables.push_back(std::move(nodes));

  Section learning{"learning",
                   "Learning",
                   "On the test examples, against time, then against steps: what a strategy gains "
                   "by faster steps, what it loses by staler ones.",
                   {},
                   {}};
  add(learning, learning_curves(records));
  add(learning, learning_by_step(records));

  Section phases{"phases",
                 "Phases of a step",
                 "Where the time of a mean step goes, evaluation included; elsewhere the time of a "
                 "step is the median without it. Phases are exposed time and add up to the step: "
                 "what runs beside something else is in neither.",
                 {},
                 {}};
  add(phases, phase_bars(records));

  Section used{"resources",
               "CPU, memory, network",
               "Each node over one axis of time, a point an interval." + of_the_first(records),
               {},
               {}};
  add(used, choice_of(records, "resources", resources));

  Section when{"timeline",
               "Timeline",
               "Steps from the middle of the training, phase by phase. Phases of a step stand one "
               "after another, in the order in which a step goes; a server's updates are those "
               "that workers waited for. Arrows are messages: a gradient on its way down, new "
               "parameters on their way up; where there are many, those of some steps." +
                   of_the_first(records),
               {},
               {}};
  add(when, choice_of(records, "timeline", timeline));

  Section steps{"steps",
                "Step by step",
                "Every step of every worker. A long training is thinned to the lowest and the "
                "highest of each stretch of steps, so that no outlier is lost.",
                {},
                {}};
  add(steps, step_by_step(records));
  if (records.size() > 1) add(steps, choice_of(records, "steps_by_worker", straggling_steps));

  Section late{"staleness",
               "Staleness",
               "Updates that the parameters had seen between the pull and the push of a gradient.",
               {},
               {}};
  add(late, staleness_histogram(records));
  return {std::move(summary), std::move(learning), std::move(phases), std::move(used),
          std::move(when),    std::move(steps),    std::move(late)};
}

}  // namespace foretrain
