#include "reports/studies/sweep/finding.h"

#include "reports/record/caveats.h"
#include "reports/record/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace foretrain {
namespace {

/// Whether more of a figure is better.
bool more_is_better(const char* figure) { return figure == std::string_view(kBareRate); }

/// Rows that have the figure, in their order.
std::vector<std::size_t> rows_with(const SweepTable& sweep, const char* figure) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    if (figure_in(sweep.rows[i], figure)) rows.push_back(i);
  }
  return rows;
}

/// Of rows that have the figure the one with most of it, or least.
std::size_t extreme_of(const SweepTable& sweep, const std::vector<std::size_t>& rows,
                       const char* figure, bool most) {
  const auto value = [&](std::size_t row) {
    const double known = figure_in(sweep.rows[row], figure).value_or(0);
    return most ? -known : known;
  };
  return *std::ranges::min_element(rows, {}, value);
}

/// What ties, by name.
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

/// How the worst compares; empty: there is none that is worse.
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

/// A column of the terminal's table.
struct TextColumn {
  const char* figure;
  const char* title;
  std::size_t width;
};
constexpr TextColumn kTextColumns[] = {{kBareTimeToTarget, "target [s]", 11},
                                       {kBareRate, "examples/s", 12},
                                       {kSpeedUp, "speed-up", 9},
                                       {kEfficiency, "effic.", 7},
                                       {"test_accuracy", "accuracy", 9},
                                       {"cost", "cost", 14}};

std::string text_cell_of(const SweepTable::Row& row, const char* name) {
  const auto value = figure_in(row, name);
  if (name == std::string_view("cost")) return cost_text(value, row.currency);
  if (name == std::string_view("test_accuracy") && value) return fmt::format("{:.4f}", *value);
  if (name == std::string_view(kEfficiency) && value) return fmt::format("{:.2f}", *value);
  return figure(value);
}

std::string case_lines(const SweepTable& sweep, const SweepBest& best) {
  constexpr std::size_t kMostLines = 40;
  std::vector<TextColumn> columns;
  std::size_t name_width = kTerminalColumns - 2;
  for (const TextColumn& column : kTextColumns) {
    if (rows_with(sweep, column.figure).empty()) continue;
    columns.push_back(column);
    name_width -= column.width;
  }
  std::string text = "  " + left("case", name_width);
  for (const TextColumn& column : columns) text += right(column.title, column.width);
  text += "\n";
  for (std::size_t i = 0; i < std::min(sweep.rows.size(), kMostLines); ++i) {
    const SweepTable::Row& row = sweep.rows[i];
    text += (best.has(i) ? "* " : "  ") + left(row.name, name_width);
    for (const TextColumn& column : columns)
      text += right(text_cell_of(row, column.figure), column.width);
    text += "\n";
  }
  if (sweep.rows.size() > kMostLines) {
    text += fmt::format("  and {} more\n", sweep.rows.size() - kMostLines);
  }
  return text;
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
    if (std::abs(other - value) <= kTie * std::abs(value)) best.rows.push_back(row);
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
                       sweep.has_target ? "reaches its target" : "got anywhere");
  }
  const SweepTable::Row& first = sweep.rows[best.rows.front()];
  const std::string words = figure_words(best.figure, *figure_in(first, best.figure));
  std::string text = best.tie()
                         ? fmt::format("Of {} it is a tie between {}: {}", all,
                                       listed(names_in(sweep, best)), words)
                         : fmt::format("Of {} {} is the fastest, {}", all, first.name, words);
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

std::string to_text(const SweepTable& sweep) {
  const SweepBest best = best_of(sweep);
  std::string text = wrap(sweep_sentence(sweep)) + "\n" + case_lines(sweep, best);
  std::string notes;
  if (!best.rows.empty()) {
    notes = fmt::format("* {} by {}, without evaluation.", best.tie() ? "a tie" : "the best",
                        more_is_better(best.figure) ? "examples/s" : "the time to the target");
  }
  if (!rows_with(sweep, kSpeedUp).empty()) {
    notes +=
        " Speed-up and efficiency are against the case with the fewest workers, all else equal.";
  }
  return notes.empty() ? text : text + "\n" + wrap(notes);
}

}  // namespace foretrain
