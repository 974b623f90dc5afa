#include "reports/studies/sweep/finding.h"

#include "reports/record/caveats.h"
#include "reports/record/forecast_range.h"
#include "reports/record/wrapped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>

namespace foretrain {
namespace {

/// Whether a larger value of the figure is better.
bool more_is_better(const char* figure) { return figure == std::string_view(kBareRate); }

/// Indices of the rows that have the figure, in order.
std::vector<std::size_t> rows_with(const SweepTable& sweep, const char* figure) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    if (figure_in(sweep.rows[i], figure)) rows.push_back(i);
  }
  return rows;
}

/// The one of `rows`, which have the figure, with the largest or smallest value.
std::size_t extreme_of(const SweepTable& sweep, const std::vector<std::size_t>& rows,
                       const char* figure, bool most) {
  const auto value = [&](std::size_t row) {
    const double known = figure_in(sweep.rows[row], figure).value_or(0);
    return most ? -known : known;
  };
  return *std::ranges::min_element(rows, {}, value);
}

/// Names of the rows that tie.
std::vector<std::string> names_in(const SweepTable& sweep, const SweepBest& best) {
  std::vector<std::string> names;
  names.reserve(best.rows.size());
  for (const std::size_t row : best.rows) names.push_back(sweep.rows[row].name);
  return names;
}

/// `12.3 s to the target`, `10,512 examples/s`
std::string figure_words(const char* figure_name, double value) {
  if (more_is_better(figure_name)) return fmt::format("{} examples/s", figure(value));
  return fmt::format("{} s to the target", figure(value));
}

/// The best case over the worst; empty if no case is worse.
std::string against_worst(const SweepTable& sweep, const SweepBest& best,
                          const std::vector<std::size_t>& rows) {
  const std::size_t worst = extreme_of(sweep, rows, best.figure, !more_is_better(best.figure));
  if (best.has(worst)) return {};
  const double most = figure_in(sweep.rows[best.rows.front()], best.figure).value_or(0);
  const double least = figure_in(sweep.rows[worst], best.figure).value_or(0);
  const double ratio = more_is_better(best.figure) ? most / least : least / most;
  if (!std::isfinite(ratio)) return {};
  return fmt::format(", {:.2f} times as fast as {}", ratio, sweep.rows[worst].name);
}

std::string accuracy_clause(const SweepTable& sweep) {
  const auto rows = rows_with(sweep, "test_accuracy");
  if (rows.size() < 2 || sweep.has_target) return {};
  const std::size_t most = extreme_of(sweep, rows, "test_accuracy", true);
  const std::size_t least = extreme_of(sweep, rows, "test_accuracy", false);
  const double best = *figure_in(sweep.rows[most], "test_accuracy");
  if (best == *figure_in(sweep.rows[least], "test_accuracy")) {
    return fmt::format("; all end with test accuracy {:.4f}", best);
  }
  return fmt::format("; the best test accuracy, {:.4f}, is that of {}", best,
                     sweep.rows[most].name);
}

constexpr auto kSweepMetrics = std::to_array<SweepMetric>(
    {{kBareTimeToTarget, "time to the target", "time to the target without evaluation [s]",
      "target [s]", 1, true},
     {kBareRate, "rate", "examples/s without evaluation", "examples/s", 1, true},
     {kSpeedUp, "speed-up", "speed-up against the fewest workers", "speed-up", 1, true},
     {kEfficiency, "efficiency", "efficiency, speed-up over workers", "effic.", 1, true},
     {"test_accuracy", "test accuracy", "accuracy [share of the examples]", "accuracy", 1, true},
     {"cost", "cost", "cost", "cost", 1, true},
     {"gradients_per_s", "rate of gradients", "gradients/s", "gradients/s", 1, false},
     {"step_time_s_median", "step time, median without evaluation", "step time [ms]",
      "step time [ms]", 1e3, false},
     {"time_s", "time", "time [s]", "time [s]", 1, false},
     {"final_loss", "test loss", "loss [nats]", "loss [nats]", 1, false},
     {"staleness_mean", "staleness", "mean staleness [updates]", "staleness [updates]", 1, false}});

/// Half-width of the forecast's range as a share; 0 for a run.
double error_of(const SweepTable::Row& row) { return figure_in(row, kForecastError).value_or(0); }

/// Relative difference below which another row ties.
double apart_of(const SweepTable::Row& row) { return error_of(row) > 0 ? kForecastsApart : kTie; }

ResultTable cases_table(const SweepTable& sweep) {
  using Kind = ResultColumn::Kind;
  const SweepBest best = best_of(sweep);
  const std::string currency = currency_of(sweep);
  ResultTable table{
      "cases", "Cases", {{"case", "case", Kind::words}, {"best", "best", Kind::words, true}}, {}};
  for (const std::string& key : sweep.settings) table.columns.push_back({key, key, Kind::comment});
  for (const SweepMetric& metric : kSweepMetrics) {
    const bool cost = metric.key == std::string_view("cost");
    table.columns.push_back({metric.key,
                             cost && !currency.empty() ? fmt::format("cost [{}]", currency)
                                                       : std::string(metric.column),
                             metric.brief ? Kind::number : Kind::comment});
  }
  table.columns.push_back({"error", "error", Kind::comment});
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SweepTable::Row& row = sweep.rows[i];
    ResultRow& cells = table.rows.emplace_back();
    const bool marked = best.has(i);
    cells.values = {row.name, std::string(!marked ? "" : best.tie() ? "a tie" : "best")};
    if (marked) cells.good = true;
    cells.values.insert(cells.values.end(), row.settings.begin(), row.settings.end());
    for (const SweepMetric& metric : kSweepMetrics) {
      const auto value = figure_of(row, metric);
      const bool mixed = metric.key == std::string_view("cost") && currency.empty() && value;
      cells.values.push_back(mixed ? cost_text(value, row.currency) : result_value(value));
    }
    cells.values.emplace_back(row.error);
  }
  return table;
}

/// Sorts the best rows first, rows without the figure last.
void sort_rows(ResultTable& table, const char* figure) {
  const auto column = std::ranges::find(table.columns, figure, &ResultColumn::name);
  const auto place = static_cast<std::size_t>(column - table.columns.begin());
  std::ranges::stable_sort(table.rows, {}, [&](const ResultRow& row) {
    const auto* value = std::get_if<double>(&row.values[place]);
    if (value == nullptr) return std::numeric_limits<double>::infinity();
    return more_is_better(figure) ? -*value : *value;
  });
}

}  // namespace

bool SweepBest::has(std::size_t row) const { return std::ranges::find(rows, row) != rows.end(); }

SweepBest best_of(const SweepTable& sweep) {
  SweepBest best{sweep.has_target ? kBareTimeToTarget : kBareRate, {}};
  const std::vector<std::size_t> rows = rows_with(sweep, best.figure);
  if (rows.empty()) return best;
  const std::size_t first = extreme_of(sweep, rows, best.figure, more_is_better(best.figure));
  const double value = figure_in(sweep.rows[first], best.figure).value_or(0);
  for (const std::size_t row : rows) {
    const double other = figure_in(sweep.rows[row], best.figure).value_or(0);
    const double apart = std::max(apart_of(sweep.rows[first]), apart_of(sweep.rows[row]));
    if (std::abs(other - value) <= apart * std::abs(value)) best.rows.push_back(row);
  }
  return best;
}

std::string sweep_sentence(const SweepTable& sweep) {
  const SweepBest best = best_of(sweep);
  const std::vector<std::size_t> rows = rows_with(sweep, best.figure);
  const std::string all =
      fmt::format("{} case{}", sweep.rows.size(), sweep.rows.size() == 1 ? "" : "s");
  if (rows.empty()) {
    return fmt::format("Of {} none {}.", all,
                       sweep.has_target ? "reaches its target" : "completed a step");
  }
  const SweepTable::Row& first = sweep.rows[best.rows.front()];
  const std::string words = figure_words(best.figure, *figure_in(first, best.figure));
  const double error = error_of(first);
  const std::string range = error > 0 ? fmt::format(" ± {:.0f} %", 100 * error) : "";
  std::string text = fmt::format("Of {} {} is the fastest, {}{}", all, first.name, words, range);
  if (best.tie()) {
    text =
        fmt::format("Of {} it is a tie between {}: {}", all, listed(names_in(sweep, best)), words);
    if (error > 0) {
      text += fmt::format(", no difference within the forecast's error ({:.0f} %)",
                          100 * kForecastsApart);
    }
  }
  text += against_worst(sweep, best, rows);
  const auto efficiency = figure_in(first, kEfficiency);
  if (efficiency && !best.tie()) text += fmt::format(", at an efficiency of {:.2f}", *efficiency);
  const std::size_t missing = sweep.rows.size() - rows.size();
  if (sweep.has_target && missing > 0) {
    text += fmt::format("; {} {} not reach the target", missing, missing == 1 ? "does" : "do");
  }
  std::vector<TitledCaveat> told;
  for (const SweepTable::Row& row : sweep.rows) {
    if (!row.caveats.empty()) told.push_back({row.name, row.caveats});
  }
  return text + accuracy_clause(sweep) + "." + caveats_of(told);
}

std::span<const SweepMetric> sweep_metrics() { return kSweepMetrics; }

std::optional<double> figure_of(const SweepTable::Row& row, const SweepMetric& metric) {
  const auto value = figure_in(row, metric.key);
  return value ? std::optional(*value * metric.factor) : std::nullopt;
}

Result sweep_result(const SweepTable& sweep, const std::vector<std::string>& stands_on) {
  constexpr std::size_t kMostTold = 2;
  Result result{sweep_sentence(sweep), {cases_table(sweep)}, "Times are without evaluation."};
  if (sweep.rows.size() > kBriefRows) sort_rows(result.tables[0], best_of(sweep).figure);
  if (!rows_with(sweep, kSpeedUp).empty()) {
    result.stands_on +=
        " Speed-up and efficiency compare with the otherwise equal case that has the fewest "
        "workers.";
  }
  for (std::size_t i = 0; i < std::min(stands_on.size(), kMostTold); ++i) {
    result.stands_on += " " + stands_on[i];
  }
  if (stands_on.size() > kMostTold) {
    result.stands_on += fmt::format(" ({} more in sweep.json.)", stands_on.size() - kMostTold);
  }
  return result;
}

}  // namespace foretrain
