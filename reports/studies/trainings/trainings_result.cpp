#include "reports/studies/trainings/trainings_result.h"

#include "reports/record/source.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace foretrain {
namespace {

using ColumnKind = ResultColumn::Kind;

/// A figure of a training: a column if there are several trainings, a row if there is one.
struct TrainingFigure {
  ResultColumn column;
  std::function<ResultValue(const Trained&)> value;
};

ResultValue known(std::int64_t count) {
  return count > 0 ? ResultValue(static_cast<double>(count)) : ResultValue();
}

ResultValue seconds_if(std::int64_t count, Duration time) {
  return count > 0 ? ResultValue(time.seconds()) : ResultValue();
}

/// Bytes that a node sends while each worker makes one step: of the node that sends most, or the
/// mean of the others; empty if nothing is sent.
ResultValue sent_per_step(const Trained& t, bool most) {
  double largest = 0;
  double all = 0;
  for (const NodeTotals& node : t.record.nodes) {
    const auto sent = static_cast<double>(node.tx.value);
    largest = std::max(largest, sent);
    all += sent;
  }
  if (largest == 0 || t.summary.steps == 0) return {};
  const double rounds =
      static_cast<double>(t.summary.steps) / t.record.scenario_case.scenario.training.workers;
  const auto others = static_cast<double>(t.record.nodes.size() - 1);
  return (most ? largest : (all - largest) / others) / rounds;
}

ResultValue target_cell(const Trained& t) {
  if (passed_unseen(t.target(), t.summary)) return "time unknown";
  if (t.target().wanted() && !t.summary.time_to_target_s) return "not reached";
  return result_value(t.summary.time_to_target_s);
}

ResultValue outcome_cell(const Trained& t) {
  if (t.record.outcome == Outcome::done) return {};
  return t.record.failure.empty() ? std::string(name_of(t.record.outcome)) : t.record.failure;
}

/// The absences and the loss of a node, in words; empty if there were none.
std::string fate_of(const NodeTotals& node) {
  std::string text;
  for (const Absence& each : node.away) {
    text += fmt::format("{}away from {:.3f} s to {:.3f} s: it {}", text.empty() ? "" : "; ",
                        each.left.seconds(), each.back.seconds(), each.why);
  }
  if (node.lost.empty()) return text;
  return fmt::format("{}{}lost: {}", text, text.empty() ? "" : "; ", node.lost);
}

ResultValue fates_cell(const Trained& t) {
  std::vector<std::string> all;
  for (const NodeTotals& node : t.record.nodes) {
    if (const std::string fate = fate_of(node); !fate.empty())
      all.push_back(node.role + " " + fate);
  }
  return listed(all);
}

ResultValue colocated_cell(const Trained& t) {
  std::vector<std::string> all;
  for (const ColocatedTotals& each : t.record.colocated_jobs) {
    const std::string state =
        each.failure.empty() ? (each.done ? "done" : "still training") : "failed: " + each.failure;
    all.push_back(fmt::format("{}: {}, {}", each.name, counted(each.steps, "step"), state));
  }
  return listed(all);
}

ResultValue resumed_cell(const Trained& t) {
  std::vector<std::string> all;
  for (const std::int64_t step : t.record.resumed) all.push_back("step " + grouped(step));
  return listed(all);
}

ResultValue weights_cell(const Trained& t) {
  if (t.record.weights_sha256.empty()) return {};
  return fmt::format("sha256 {} ({})", t.record.weights_sha256.substr(0, 16), t.record.kernel_set);
}

/// `brief`: a terminal shows the column in the table of several trainings.
ResultColumn column(const char* name, const char* title, ColumnKind kind, bool brief = false) {
  return {name, title, kind, false, brief};
}

void add_phases(std::vector<TrainingFigure>& all) {
  for (const auto& [name, of] : kPhases<double>) {
    const ResultColumn share{fmt::format("{}_share", name), fmt::format("{} [of a step]", name),
                             ColumnKind::share, false, false};
    all.push_back({share, [of](const Trained& t) {
                     const double phase_s = t.summary.phases.*of;
                     return phase_s > 0 ? ResultValue(phase_s / length_of(t.summary.phases))
                                        : ResultValue();
                   }});
  }
}

/// By importance: for a single training a terminal shows the first ten that it has.
std::vector<TrainingFigure> first_figures() {
  constexpr auto kNumber = ColumnKind::number;
  using T = const Trained&;
  using V = ResultValue;
  return {
      {column("time_s", "time [s]", kNumber, true), [](T t) { return V(t.summary.time_s); }},
      {column("time_to_target_s", "target [s]", kNumber, true), target_cell},
      {column("range_s", "range [s]", ColumnKind::words, true), [](T t) { return V(t.range_s()); }},
      {column("test_accuracy", "accuracy", kNumber, true),
       [](T t) { return result_value(t.summary.test_accuracy); }},
      {column("step_ms", "step [ms]", kNumber, true),
       [](T t) {
         const auto step_s = t.summary.step_time_s_median;
         return step_s ? V(*step_s * 1e3) : V();
       }},
      {column("examples_per_s", "examples/s", kNumber, true),
       [](T t) { return result_value(t.summary.bare_examples_per_s); }},
      {column("tokens_per_s", "tokens/s", kNumber, true),
       [](T t) { return result_value(t.summary.tokens_per_s); }},
      {column("tokens_time_s", "time of all tokens", ColumnKind::time, true),
       [](T t) { return result_value(t.summary.tokens_time_s); }},
      {column("tokens_per_device", "tokens/s of a device", kNumber),
       [](T t) {
         const auto rate = t.summary.tokens_per_s;
         return rate ? V(*rate / t.record.scenario_case.scenario.training.workers) : V();
       }},
      {column("mfu", "model FLOPs utilization", ColumnKind::share, true),
       [](T t) { return result_value(t.summary.model_flops_utilization); }},
      {column("exposed_communication", "exposed communication", ColumnKind::share),
       [](T t) {
         const PhaseSeconds& p = t.summary.phases;
         const double step_s = length_of(p);
         return t.record.counted && step_s > 0 ? V((p.push + p.pull) / step_s) : V();
       }},
      {column("device_memory", "memory of a device [GiB]", kNumber, true),
       [](T t) { return t.record.counted ? V(in_gib(t.record.counted->memory.total())) : V(); }},
      {column("cost_of_tokens", "cost of 10^9 tokens", kNumber),
       [](T t) { return V(cost_text(t.summary.cost_of_tokens, t.summary.price.currency)); }},
      {column("fits", "fits", ColumnKind::words, true),
       [](T t) {
         const bool known = t.record.counted && t.record.counted->memory.capacity.value > 0;
         return known ? V(t.record.counted->memory.fits() ? "yes" : "no") : V();
       }},
      {column("cost", "cost", kNumber, true),
       [](T t) { return V(cost_text(t.summary.cost, t.summary.price.currency)); }}};
}

std::vector<TrainingFigure> training_figures() {
  constexpr auto kNumber = ColumnKind::number;
  constexpr auto kCount = ColumnKind::count;
  constexpr auto kComment = ColumnKind::comment;
  using T = const Trained&;
  using V = ResultValue;
  const std::vector<TrainingFigure> others{
      {column("outcome", "outcome", ColumnKind::words, true), outcome_cell},
      {column("nodes", "nodes", kComment), fates_cell},
      {column("neighbours", "neighbours", kComment), colocated_cell},
      {column("resumed", "resumed from", kComment), resumed_cell},
      {column("restarts", "restarts", kCount), [](T t) { return known(t.record.restarts.count); }},
      {column("final_loss", "loss [nats]", kNumber),
       [](T t) { return result_value(t.summary.final_loss); }},
      {column("staleness_mean", "staleness, mean [updates]", kNumber),
       [](T t) { return result_value(t.summary.staleness_mean); }},
      {column("gradients_per_s", "gradients/s", kNumber),
       [](T t) { return result_value(t.summary.gradients_per_s); }},
      {column("updates_per_s", "updates/s", kNumber),
       [](T t) { return result_value(t.summary.updates_per_s); }},
      {column("steps", "steps", kCount), [](T t) { return known(t.summary.steps); }},
      {column("updates", "updates", kCount), [](T t) { return known(t.summary.updates); }},
      {column("dropped", "gradients too late", kCount),
       [](T t) { return known(t.record.dropped); }},
      {column("most_lead", "lead over the slowest worker, most [gradients]", kCount),
       [](T t) { return known(t.record.most_lead); }},
      {column("evaluate_s", "evaluation [s]", kNumber),
       [](T t) { return t.summary.evaluate_s > 0 ? V(t.summary.evaluate_s) : V(); }},
      {column("checkpoints", "checkpoints", kCount),
       [](T t) { return known(t.record.checkpoints.count); }},
      {column("checkpoints_s", "checkpoints [s]", kNumber),
       [](T t) { return seconds_if(t.record.checkpoints.count, t.record.checkpoints.time); }},
      {column("lost_steps", "lost by restarts [steps]", kCount),
       [](T t) { return known(t.record.restarts.lost_steps); }},
      {column("lost_s", "lost by restarts [s]", kNumber),
       [](T t) { return seconds_if(t.record.restarts.count, t.record.restarts.lost); }},
      {column("down_s", "down [s]", kNumber),
       [](T t) { return seconds_if(t.record.restarts.count, t.record.restarts.down); }},
      {column("refused", "connections refused", kCount),
       [](T t) { return known(t.record.refused); }},
      {column("startup_s", "start-up [s]", kNumber),
       [](T t) { return seconds_if(t.record.startup.ns, t.record.startup); }},
      {column("bytes_sent", "bytes sent", kCount),
       [](T t) { return known(t.summary.bytes_sent.value); }},
      {column("most_sent", "sent per step, busiest node [bytes]", kCount),
       [](T t) { return sent_per_step(t, true); }},
      {column("others_sent", "sent per step, others' mean [bytes]", kCount),
       [](T t) { return sent_per_step(t, false); }},
      {column("price_per_hour", "price per hour", kNumber),
       [](T t) { return t.summary.cost ? V(t.summary.price.per_hour) : V(); }}};
  std::vector<TrainingFigure> all = first_figures();
  all.insert(all.end(), others.begin(), others.end());
  add_phases(all);
  all.push_back({column("weights", "weights", kComment), weights_cell});
  all.push_back({column("from", "from", kComment), [](T t) { return V(source_of(t.record)); }});
  all.push_back({column("build", "written by", kComment), [](T t) { return V(t.build); }});
  return all;
}

/// A row for each figure of each record.
ResultTable figures_of_each(const ResultTable& trainings) {
  const bool several = trainings.rows.size() > 1;
  ResultTable table{"figures", "Figures", {}, {}, several};
  if (several) table.columns.push_back(trainings.columns.front());
  table.columns.push_back({"figure", "figure", ColumnKind::words});
  table.columns.push_back({"value", "value", ColumnKind::words});
  for (const ResultRow& row : trainings.rows) {
    for (std::size_t i = 1; i < trainings.columns.size(); ++i) {
      const std::string value = cell_text(row.values[i], trainings.columns[i].kind);
      if (value == "-") continue;
      ResultRow& line = table.rows.emplace_back();
      if (several) line.values.push_back(row.values.front());
      line.values.emplace_back(trainings.columns[i].title);
      line.values.emplace_back(value);
    }
  }
  return table;
}

ResultTable nodes_table(const std::vector<Trained>& trainings) {
  ResultTable table{
      "nodes",
      "Nodes",
      {{"node", "node", ColumnKind::words},
       {"record", "record", trainings.size() > 1 ? ColumnKind::words : ColumnKind::comment},
       {"host", "host", ColumnKind::words},
       {"core", "core", ColumnKind::count},
       {"cpu", "CPU [%]"},
       {"memory", "memory [MB]"},
       {"sent", "sent [MB]"},
       {"received", "got [MB]"},
       {"fate", "away or lost", ColumnKind::words}},
      {},
      true};
  const auto megabytes = [](std::optional<Bytes> bytes) {
    return bytes ? ResultValue(static_cast<double>(bytes->value) / 1e6) : ResultValue();
  };
  for (const Trained& training : trainings) {
    for (const NodeTotals& node : training.record.nodes) {
      table.rows.push_back(
          {{node.role, trainings.size() > 1 ? training.title : "", node.host,
            node.core ? ResultValue(static_cast<double>(*node.core)) : ResultValue(),
            result_value(cpu_percent(training.record, node)), megabytes(node.rss),
            megabytes(node.tx), megabytes(node.rx), fate_of(node)}});
    }
  }
  return table;
}

}  // namespace

ResultTable trainings_table(const std::vector<Trained>& trainings) {
  const std::vector<TrainingFigure> figures = training_figures();
  ResultTable table{"trainings", "Trainings", {{"record", "record", ColumnKind::words}}, {}};
  for (const TrainingFigure& each : figures) table.columns.push_back(each.column);
  for (const Trained& training : trainings) {
    ResultRow& row = table.rows.emplace_back();
    row.values.emplace_back(training.title);
    for (const TrainingFigure& each : figures) row.values.push_back(each.value(training));
  }
  return table;
}

std::vector<std::string> names_among(const std::vector<Record>& records) {
  std::set<std::string> scenarios;
  for (const Record& record : records) scenarios.insert(record.scenario_case.scenario.name);
  std::vector<std::string> names;
  std::map<std::pair<std::string, Mode>, int> times;
  for (const Record& record : records) {
    std::string name = title_of(record.scenario_case);
    if (scenarios.size() > 1) name.insert(0, record.scenario_case.scenario.name + ": ");
    const int number = ++times[{name, record.mode}];
    if (number > 1) name += fmt::format(" ({})", number);
    names.push_back(std::move(name));
  }
  return names;
}

Result result_of(const std::vector<Record>& records, const std::vector<std::string>& builds) {
  const std::vector<std::string> names = names_among(records);
  std::set<Mode> modes;
  for (const Record& record : records) modes.insert(record.mode);
  std::vector<Trained> trainings;
  trainings.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string mode = records[i].mode == Mode::run ? " run" : " simulated";
    trainings.push_back({records[i], summarize(records[i]), forecast_range(records[i]),
                         modes.size() > 1 ? names[i] + mode : names[i],
                         i < builds.size() ? builds[i] : ""});
  }
  Result result{trainings_sentence(trainings), {}, stands_on(records)};
  ResultTable table = trainings_table(trainings);
  result.tables.push_back(figures_of_each(table));
  if (records.size() != 1) result.tables.insert(result.tables.begin(), std::move(table));
  result.tables.push_back(nodes_table(trainings));
  return result;
}

}  // namespace foretrain
