#include "tests/bench/common/bench_report.h"

#include "tests/bench/common/bench_goals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace foretrain::bench {
namespace {

constexpr double kPercent = 100;

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string table_line(const Result& row, const Goal* goal) {
  const auto ratio = ratio_of(row);
  const std::string figure = fmt::format("{} {}", figure_text(row.figure), row.unit);
  const std::string peer =
      row.peer_figure ? fmt::format("{} {}", figure_text(*row.peer_figure), row.peer) : "-";
  std::string wanted;
  if (goal != nullptr) {
    wanted = goal_text(*goal, row.unit);
    if (!reached(*goal, row).value_or(true)) wanted += "  MISSED";
  }
  return trimmed(fmt::format("{:44} {:>24} {:>20} {:>7}  {}", row.name, figure, peer,
                             ratio ? fmt::format("{:.2f}", *ratio) : "-", wanted));
}

}  // namespace

std::string line_of(const Result& result) {
  const std::string spread =
      result.spread ? fmt::format("+- {:.1f} %", kPercent * *result.spread) : "";
  std::string line = fmt::format("{:44} {:>12} {:14} {:>10}", result.name,
                                 figure_text(result.figure), result.unit, spread);
  const auto ratio = ratio_of(result);
  if (ratio) {
    line +=
        fmt::format("  {} {}, ratio {:.2f}", result.peer, figure_text(*result.peer_figure), *ratio);
  }
  const Goal* goal = goal_of(result.name);
  if (goal != nullptr && reached(*goal, result)) {
    line += fmt::format("  (goal {})", goal_text(*goal, result.unit));
  }
  if (!result.note.empty()) line += "  " + result.note;
  return trimmed(line);
}

std::string table_of(const std::vector<Result>& rows) {
  std::string text = fmt::format("{:44} {:>24} {:>20} {:>7}  {}\n", "work", "this program", "peer",
                                 "ratio", "goal");
  int judged = 0;
  int met = 0;
  for (const Result& row : rows) {
    const Goal* goal = goal_of(row.name);
    text += table_line(row, goal) + "\n";
    const auto is_met = goal == nullptr ? std::nullopt : reached(*goal, row);
    judged += is_met ? 1 : 0;
    met += is_met.value_or(false) ? 1 : 0;
  }
  text += fmt::format("\n{} of {} goals reached", met, judged);
  std::vector<std::string_view> without;
  for (const Goal& goal : goals()) {
    if (std::ranges::find(rows, goal.row, &Result::name) == rows.end()) without.push_back(goal.row);
  }
  if (!without.empty()) text += fmt::format("; no row for {}", fmt::join(without, ", "));
  return text + "\n";
}

void Report::add(Result result) {
  fmt::print("{}\n", line_of(result));
  std::fflush(stdout);
  rows_.push_back(std::move(result));
}

void Report::remark(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
  remarks_.push_back(line);
}

}  // namespace foretrain::bench
