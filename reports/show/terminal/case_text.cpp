#include "reports/show/terminal/case_text.h"

#include "reports/record/caveats.h"
#include "reports/record/text.h"
#include "reports/studies/sweep/finding.h"
#include "scenarios/node_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

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

/// A training with a figure that it is compared by.
struct Ranked {
  std::string title;
  double value;
  std::string told;  ///< of the value
};

/// Those with the most of it, or the least: more than one is a tie.
std::vector<Ranked> ahead(const std::vector<Ranked>& all, bool most) {
  const Ranked& first = most ? *std::ranges::max_element(all, {}, &Ranked::value)
                             : *std::ranges::min_element(all, {}, &Ranked::value);
  std::vector<Ranked> tied;
  std::ranges::copy_if(all, std::back_inserter(tied),
                       [&](const Ranked& each) { return each.told == first.told; });
  return tied;
}

/// `sync`, `sync and async`, `3 of them`.
std::string named(const std::vector<Ranked>& some) {
  if (some.size() == 1) return some.front().title;
  if (some.size() == 2) return fmt::format("{} and {}", some[0].title, some[1].title);
  return fmt::format("{} of them", some.size());
}

std::string speed_clause(const std::vector<Ranked>& rates) {
  const std::vector<Ranked> fastest = ahead(rates, true);
  const bool one = fastest.size() == 1;
  if (!one && fastest.size() == rates.size()) {
    return fmt::format("all learn from {} examples a second, a tie", fastest.front().told);
  }
  std::string text = fmt::format("{} {} from most examples a second{}", named(fastest),
                                 one ? "learns" : "learn", one ? "" : ", a tie");
  if (rates.size() == 1) return text;
  const std::vector<Ranked> slowest = ahead(rates, false);
  return text + fmt::format(", {:.2f} times as many as {}",
                            fastest.front().value / slowest.front().value, named(slowest));
}

std::string accuracy_clause(const std::vector<Ranked>& accuracies) {
  if (accuracies.empty()) return {};
  const std::vector<Ranked> best = ahead(accuracies, true);
  const std::string& told = best.front().told;
  if (best.size() == 1) {
    return fmt::format("; {} ends with the best test accuracy, {}", named(best), told);
  }
  if (best.size() == accuracies.size()) {
    return fmt::format("; all end with a test accuracy of {}, a tie", told);
  }
  return fmt::format("; {} end with the best test accuracy, {}, a tie", named(best), told);
}

/// `missed`: those that do not reach it.
std::string target_clause(const std::string& target, const std::vector<Ranked>& reached,
                          const std::vector<Ranked>& missed) {
  if (reached.empty()) return fmt::format("none reaches {}", target);
  const std::vector<Ranked> first = ahead(reached, false);
  const std::string& soonest_s = first.front().told;
  const bool one = first.size() == 1;
  if (!one && missed.empty() && first.size() == reached.size()) {
    return fmt::format("all reach {} after {} s, a tie", target, soonest_s);
  }
  std::string text =
      fmt::format("{} {} {} first, after {} s{}", named(first), one ? "reaches" : "reach", target,
                  soonest_s, one ? "" : ", a tie");
  if (first.size() < reached.size()) {
    const std::vector<Ranked> last = ahead(reached, true);
    text += fmt::format("; {} last, after {} s", named(last), last.front().told);
  }
  if (missed.empty()) return text;
  return text +
         fmt::format("; {} {} not reach it", named(missed), missed.size() == 1 ? "does" : "do");
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
  std::string rest = wrap(sentence, text_columns() - mark.size());
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = rest.find('\n', at);
    text += fmt::format("{}{}\n", mark, rest.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

void CaseTable::add(const Record& record) {
  rows_.push_back({title_of(record.scenario_case), summarize(record), record.mode,
                   record.scenario_case.scenario.training.until, caveats(record)});
  if (record.mode == Mode::simulate) rows_.back().title += " (simulated)";
}

std::string CaseTable::sentence() const {
  const auto runs = std::ranges::count(rows_, Mode::run, &Row::mode);
  const bool runs_alone = runs > 1;
  const bool mixed = runs_alone && runs < std::ssize(rows_);
  const std::string all =
      mixed ? fmt::format("{} runs", runs) : count(std::ssize(rows_), "training", "trainings");
  std::vector<Ranked> rates;
  std::vector<Ranked> accuracies;
  std::vector<Ranked> reached;
  std::vector<Ranked> missed;
  std::set<std::string> targets;
  for (const Row& row : rows_) {
    if (runs_alone && row.mode != Mode::run) continue;
    const Summary& s = row.summary;
    targets.insert(target_text(row.target));
    const auto& rate = s.bare_examples_per_s;
    if (rate) rates.push_back({row.title, *rate, figure(rate)});
    const auto& accuracy = s.test_accuracy;
    if (accuracy) accuracies.push_back({row.title, *accuracy, fmt::format("{:.4f}", *accuracy)});
    const auto& time_s = s.bare_time_to_target_s;
    (time_s ? reached : missed).push_back({row.title, time_s.value_or(0), figure(time_s)});
  }
  if (rates.empty()) return fmt::format("{}, none of which got anywhere.", all);
  if (targets.contains("")) {
    return fmt::format("Of {} {}{}.{}", all, speed_clause(rates), accuracy_clause(accuracies),
                       notes());
  }
  const std::string target = targets.size() == 1 ? *targets.begin() : "its target";
  return fmt::format("Of {} {}.{}", all, target_clause(target, reached, missed), notes());
}

std::string CaseTable::notes() const {
  std::vector<TitledCaveat> all;
  const Row* longest = nullptr;  // by its evaluations
  for (const Row& row : rows_) {
    for (const std::string& caveat : row.caveats) all.push_back({row.title, caveat});
    const auto share = [](const Row& of) { return of.summary.evaluate_s / of.summary.time_s; };
    if (row.summary.evaluate_s <= 0) continue;
    if (longest == nullptr || share(row) > share(*longest)) longest = &row;
  }
  std::string text = caveats_of(all);
  if (longest == nullptr) return text;
  return fmt::format(" Evaluation is left out: {:.1f} % of the time of {}.{}",
                     100 * longest->summary.evaluate_s / longest->summary.time_s, longest->title,
                     text);
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
                      figure(s.bare_examples_per_s),
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
