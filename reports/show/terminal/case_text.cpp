#include "reports/show/terminal/case_text.h"

#include "reports/record/text.h"
#include "reports/studies/sweep/finding.h"
#include "scenarios/node_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace foretrain {
namespace {

std::string count(std::int64_t value, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(value), value == 1 ? one : many);
}

/// 2 + 34 + 10 + 11 + 12 + 10 = 79 columns.
std::string row_text(std::string_view title, std::string_view time, std::string_view step,
                     std::string_view rate, std::string_view accuracy) {
  return fmt::format("  {}{}{}{}{}\n", left(title, 34), right(time, 10), right(step, 11),
                     right(rate, 12), right(accuracy, 10));
}

/// Who is ahead, or who are: `sync learns from most examples a second`.
std::string ahead_text(const std::vector<std::string>& tied, bool to_target, double value) {
  if (tied.size() > 1) {
    return fmt::format("it is a tie between {}: {}", listed(tied),
                       to_target
                           ? fmt::format("each reaches the target after {} s", figure(value))
                           : fmt::format("each learns from {} examples a second", figure(value)));
  }
  if (to_target) {
    return fmt::format("{} reaches the target first, after {} s", tied.front(), figure(value));
  }
  return fmt::format("{} learns from most examples a second", tied.front());
}

}  // namespace

std::string case_sentence(const Case& scenario_case) {
  const Scenario& s = scenario_case.scenario;
  const TrainingSpec& t = s.training;
  std::string text = s.name;
  if (!scenario_case.settings.empty()) text += ", " + scenario_case.label();
  text += ": " + s.model.label();
  if (!s.model.profiled()) text += " on " + s.dataset.format;
  const NodeCounts counts = node_counts(s);
  text += fmt::format(", {}, {}", t.strategy, count(counts.workers, "worker", "workers"));
  if (counts.servers > 0) text += ", " + count(counts.servers, "server", "servers");
  text += fmt::format(", batches of {}", grouped(t.batch_size));
  if (t.accumulate > 1) text += fmt::format(", {} a gradient", grouped(t.accumulate));
  if (t.steps > 0) text += ", " + count(t.steps, "step", "steps");
  if (t.updates > 0) text += ", " + count(t.updates, "update", "updates");
  if (t.epochs > 0) text += fmt::format(", {} epochs", t.epochs);
  return text + ".";
}

std::string as_comment(std::string_view sentence, std::string_view mark) {
  std::string text;
  std::string rest = wrap(sentence, kTerminalColumns - mark.size());
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = rest.find('\n', at);
    text += fmt::format("{}{}\n", mark, rest.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

const CaseTable::Row* CaseTable::extreme(const std::vector<const Row*>& rows,
                                         std::optional<double> Summary::*figure, bool most) {
  const Row* found = nullptr;
  for (const Row* row : rows) {
    const auto& value = row->summary.*figure;
    if (!value) continue;
    const bool better = found == nullptr || (most ? *value > *(found->summary.*figure)
                                                  : *value < *(found->summary.*figure));
    if (better) found = row;
  }
  return found;
}

void CaseTable::add(const Record& record) {
  rows_.push_back({title_of(record.scenario_case), summarize(record), record.mode});
  if (record.mode == Mode::simulate) rows_.back().title += " (simulated)";
}

std::string CaseTable::sentence() const {
  const auto runs = std::ranges::count(rows_, Mode::run, &Row::mode);
  const bool runs_alone = runs > 1;
  std::vector<const Row*> rows;  // that are compared
  for (const Row& row : rows_) {
    if (!runs_alone || row.mode == Mode::run) rows.push_back(&row);
  }
  const std::string all = runs_alone && runs < std::ssize(rows_)
                              ? fmt::format("{} runs", runs)
                              : count(std::ssize(rows_), "training", "trainings");
  const bool to_target = std::ranges::any_of(
      rows, [](const Row* row) { return row->summary.time_to_target_s.has_value(); });
  const auto figure_of = to_target ? &Summary::time_to_target_s : &Summary::examples_per_s;
  const Row* best = extreme(rows, figure_of, !to_target);
  if (best == nullptr) return fmt::format("{}, none of which got anywhere.", all);
  const double value = *(best->summary.*figure_of);
  std::vector<std::string> tied;
  for (const Row* row : rows) {
    const auto& other = row->summary.*figure_of;
    if (other && std::abs(*other - value) <= kTie * value) tied.push_back(row->title);
  }
  std::string text = fmt::format("Of {} {}", all, ahead_text(tied, to_target, value));
  const Row* worst = extreme(rows, figure_of, to_target);
  if (std::ranges::find(tied, worst->title) == tied.end()) {
    const double other = *(worst->summary.*figure_of);
    text += fmt::format(", {:.2f} times as {} as {}", to_target ? other / value : value / other,
                        to_target ? "fast" : "many", worst->title);
  }
  if (const Row* most = extreme(rows, &Summary::test_accuracy, true)) {
    text += fmt::format("; {} ends with the best test accuracy, {:.4f}", most->title,
                        *most->summary.test_accuracy);
  }
  return text + ".";
}

std::string CaseTable::text() const {
  std::string text = wrap(sentence()) + "\n";
  text += row_text("case", "time [s]", "step [ms]", "examples/s", "accuracy");
  for (const Row& row : rows_) {
    const Summary& s = row.summary;
    const auto step = s.step_time_s_median;
    text += row_text(row.title, figure(s.time_s), step ? figure(*step * 1e3) : "-",
                     figure(s.examples_per_s),
                     s.test_accuracy ? fmt::format("{:.4f}", *s.test_accuracy) : "-");
  }
  return text;
}

std::string machine_sentence(const Machine& machine) {
  std::vector<std::string> models;
  models.reserve(machine.models.size());
  for (const auto& [name, cost] : machine.models) {
    constexpr int kBatch = 64;
    models.push_back(
        fmt::format("{} {} ms", name, figure(cost.gradient_of(kBatch).seconds() * 1e3)));
  }
  std::string text = fmt::format("A gradient of 64 examples takes: {}", fmt::join(models, ", "));
  if (models.empty()) text = "No model was measured";
  const double message_us =
      (machine.loopback.send.overhead_s + machine.loopback.receive.overhead_s) * 1e6;
  if (message_us > 0) text += fmt::format("; a message costs {} us of CPU", figure(message_us));
  const auto worst = std::ranges::max_element(machine.measurements, {}, &Measurement::spread);
  if (worst != machine.measurements.end()) {
    text += fmt::format("; least sure is {}, ± {:.1f} %", worst->figure, 100 * worst->spread);
  }
  return text + ".";
}

}  // namespace foretrain
