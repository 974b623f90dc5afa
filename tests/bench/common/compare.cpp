#include "tests/bench/common/compare.h"

#include "reports/record/statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace foretrain::bench {
namespace {

constexpr std::size_t kLeastRounds = 3;

void check_files(const std::vector<Results>& files) {
  if (files.size() % 2 != 0 || files.size() < 2 * kLeastRounds) {
    throw std::runtime_error(
        fmt::format("{} files: compare takes those of A and B in turn, {} of each at least",
                    files.size(), kLeastRounds));
  }
  for (std::size_t i = 2; i < files.size(); ++i) {
    const std::string& first = files[i % 2].program.build;
    if (files[i].program.build == first) continue;
    throw std::runtime_error(fmt::format("file {} is of {}, which should be of {}", i + 1,
                                         files[i].program.build, first));
  }
}

const Result* find_row(const Results& results, const std::string& name) {
  const auto found = std::ranges::find(results.rows, name, &Result::name);
  return found == results.rows.end() ? nullptr : &*found;
}

/// The row of each file in turn; incomplete if some file lacks it.
std::vector<Result> everywhere(const std::vector<Results>& files, const std::string& name) {
  std::vector<Result> found;
  for (const Results& file : files) {
    if (const Result* row = find_row(file, name)) found.push_back(*row);
  }
  return found;
}

/// All row names without duplicates, in order of appearance.
std::vector<std::string> row_names(const std::vector<Results>& files) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const Results& file : files) {
    for (const Result& row : file.rows) {
      if (known.insert(row.name).second) names.push_back(row.name);
    }
  }
  return names;
}

Compared compare_row(const std::vector<Result>& turns) {
  const Result& first = turns.front();
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Result& turn = turns[i];
    if (turn.unit != first.unit || turn.better != first.better) {
      throw std::runtime_error(
          fmt::format("{}: in {} here, in {} there", first.name, first.unit, turn.unit));
    }
    if (!(turn.figure > 0)) {
      throw std::runtime_error(
          fmt::format("{}: {:g} {}, which is not above zero", first.name, turn.figure, turn.unit));
    }
    (i % 2 == 0 ? a : b).push_back(turn.figure);
    if (i % 2 == 1) ratios.push_back(times_better(first.better, b.back(), a.back()));
  }
  const auto [least, most] = std::ranges::minmax(ratios);
  Compared compared{first.name, first.unit, median(a).value(), median(b).value()};
  compared.ratio = times_better(first.better, compared.b, compared.a);
  compared.spread = (most - least) / 2;
  return compared;
}

}  // namespace

bool Compared::differs() const { return std::abs(ratio - 1) > spread; }

Comparison compare(const std::vector<Results>& files) {
  check_files(files);
  Comparison comparison;
  comparison.rounds = static_cast<int>(files.size() / 2);
  comparison.a = files[0].program.build;
  comparison.b = files[1].program.build;
  for (const std::string& name : row_names(files)) {
    const std::vector<Result> turns = everywhere(files, name);
    if (turns.size() == files.size()) {
      comparison.rows.push_back(compare_row(turns));
    } else {
      comparison.left_out.push_back(name);
    }
  }
  return comparison;
}

std::string text_of(const Comparison& comparison) {
  std::string text =
      fmt::format("A: {}\nB: {}\n{} rounds in turn; ratio: how many times better B is\n\n",
                  comparison.a, comparison.b, comparison.rounds);
  text += fmt::format("{:44} {:>12} {:>12} {:14} {:>7} {:>9}\n", "row", "A", "B", "", "ratio",
                      "spread");
  std::vector<std::string> different;
  for (const Compared& row : comparison.rows) {
    const char* verdict = !row.differs() ? "" : row.ratio > 1 ? "  better" : "  worse";
    text += fmt::format("{:44} {:>12} {:>12} {:14} {:7.3f} {:>9}{}\n", row.name, figure_text(row.a),
                        figure_text(row.b), row.unit, row.ratio,
                        fmt::format("+- {:.3f}", row.spread), verdict);
    if (row.differs()) different.push_back(row.name);
  }
  text += different.empty()
              ? "\nno row differs by more than its spread\n"
              : fmt::format("\nby more than its spread differs: {}\n", fmt::join(different, ", "));
  if (!comparison.left_out.empty()) {
    text += fmt::format("not in every file: {}\n", fmt::join(comparison.left_out, ", "));
  }
  return text;
}

}  // namespace foretrain::bench
