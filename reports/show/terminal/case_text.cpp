#include "reports/show/terminal/case_text.h"

#include "reports/record/text.h"
#include "scenarios/node_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace foretrain {
namespace {

std::string count(std::int64_t value, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(value), value == 1 ? one : many);
}

/// A column of titles, 34 wide in a terminal of 80.
struct CaseRow {
  std::size_t title_columns;

  /// 2 + 34 + 10 + 11 + 12 + 10 = 79 columns.
  [[nodiscard]] std::string text(std::string_view title, std::string_view time,
                                 std::string_view step, std::string_view rate,
                                 std::string_view accuracy) const {
    return fmt::format("  {}{}{}{}{}\n", left(title, title_columns), right(time, 10),
                       right(step, 11), right(rate, 12), right(accuracy, 10));
  }
};

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
  std::string rest = wrap(sentence, text_columns() - mark.size());
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = rest.find('\n', at);
    text += fmt::format("{}{}\n", mark, rest.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

void CaseTable::add(const Record& record) {
  rows_.push_back({title_of(record.scenario_case), summarize(record), record.mode});
  if (record.mode == Mode::simulate) rows_.back().title += " (simulated)";
}

std::string CaseTable::sentence() const {
  const auto runs = std::ranges::count(rows_, Mode::run, &Row::mode);
  const bool runs_alone = runs > 1;
  const auto extreme = [&](std::optional<double> Summary::*figure, bool most) {
    const Row* found = nullptr;
    for (const Row& row : rows_) {
      const auto& value = row.summary.*figure;
      if (!value || (runs_alone && row.mode != Mode::run)) continue;
      if (found == nullptr ||
          (most ? *value > *(found->summary.*figure) : *value < *(found->summary.*figure))) {
        found = &row;
      }
    }
    return found;
  };
  const bool mixed = runs_alone && runs < std::ssize(rows_);
  const std::string all =
      mixed ? fmt::format("{} runs", runs) : count(std::ssize(rows_), "training", "trainings");
  const Row* fastest = extreme(&Summary::examples_per_s, true);
  const Row* slowest = extreme(&Summary::examples_per_s, false);
  if (fastest == nullptr) return fmt::format("{}, none of which got anywhere.", all);
  std::string text =
      fmt::format("Of {} {} learns from most examples a second", all, fastest->title);
  if (slowest != fastest) {
    text += fmt::format(", {:.2f} times as many as {}",
                        *fastest->summary.examples_per_s / *slowest->summary.examples_per_s,
                        slowest->title);
  }
  if (const Row* best = extreme(&Summary::test_accuracy, true)) {
    text += fmt::format("; {} ends with the best test accuracy, {:.4f}", best->title,
                        *best->summary.test_accuracy);
  }
  return text + ".";
}

std::string CaseTable::text() const {
  std::string text = wrap(sentence()) + "\n";
  constexpr std::size_t kTitle = 34;
  std::size_t widest = 0;
  for (const Row& row : rows_) widest = std::max(widest, columns_of(row.title));
  const CaseRow line{name_columns(widest, kTitle)};
  text += line.text("case", "time [s]", "step [ms]", "examples/s", "accuracy");
  for (const Row& row : rows_) {
    const Summary& s = row.summary;
    const auto step = s.step_time_s_median;
    text += line.text(row.title, figure(s.time_s), step ? figure(*step * 1e3) : "-",
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
