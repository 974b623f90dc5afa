// The published studies: what their authors claim, how near forecasts of their figures come.
#include "reports/studies/published/claims.h"
#include "reports/studies/published/predictions.h"
#include "reports/studies/published/tables.h"
#include "scenarios/library.h"
#include "scenarios/read.h"
#include "sim/driver/simulate.h"
#include "tests/reports/support.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(source_dir()) / "scenarios" / "published";

std::vector<Prediction> predicted(const PublishedLibrary& library, const std::string& study) {
  PredictOptions options;
  options.study = study;
  options.threads = 2;
  options.simulate = [](const Case& each) {
    sim::SimulateOptions simulating;
    simulating.machines = [](const std::string& name) {
      return read_machine((kFolder.parent_path().parent_path() / name).string());
    };
    simulating.summary_only = true;
    return simulate(each, simulating);
  };
  return predict(library, options);
}

/// Every study, simulated once.
struct Everything {
  PublishedLibrary library = read_published(kFolder);
  std::vector<Prediction> predictions = predicted(library, "");
  std::vector<ClaimAnswers> claims =
      answer(read_claims((kFolder / "claims.csv").string()), predictions, library.measured);
  /// All figures with their errors, for whoever reads why a test failed.
  std::string table = to_table(predictions, claims);
};
const Everything& everything() {
  static const Everything all;
  return all;
}

double apart(const Answered& pair) {
  return std::abs(pair.first - pair.second) / std::max(pair.first, pair.second);
}

TEST_CASE("published: figures that a claim compares are forecast in their order") {
  INFO(everything().table);
  int ordered = 0;
  for (const ClaimAnswers& each : everything().claims) {
    if (!each.reported || !each.simulator) continue;
    CAPTURE(each.claim.study, each.claim.text, sentence(each.reported), sentence(each.simulator));
    if (apart(*each.reported) > 0.10) {
      CHECK((each.reported->first < each.reported->second) ==
            (each.simulator->first < each.simulator->second));
      CHECK(each.reported->holds == each.simulator->holds);
      ++ordered;
    } else {
      // About the same stays about the same, but for a claim that goes further the same way.
      CHECK((each.reported->holds == each.simulator->holds || apart(*each.simulator) < kNear));
    }
  }
  CHECK(ordered >= 8);
}

TEST_CASE("published: each study's forecasts are near, in the median and most of them") {
  INFO(everything().table);
  const auto summaries = summarize(everything().predictions);
  CHECK(summaries.size() == 5);
  for (const StudySummary& study : summaries) {
    CAPTURE(study.study, study.median_error, study.near, study.forecasts);
    CHECK(study.forecasts > 0);
    CHECK(study.median_error < 0.10);
    CHECK(3 * study.near >= 2 * study.forecasts);
  }
}

TEST_CASE("published: times are within their bands, fitted ones within a narrow one") {
  INFO(everything().table);
  int times = 0;
  for (const Prediction& each : everything().predictions) {
    const std::string& metric = each.reported.metric;
    if (metric != "time" && metric != "epoch_time" && metric != "step_time") continue;
    if (each.role != Role::fitted && each.role != Role::forecast) continue;
    CAPTURE(each.reported.study, each.reported.title(), each.reported.value, each.predicted);
    REQUIRE(each.error());
    CHECK(std::abs(*each.error()) < (each.role == Role::fitted ? 0.05 : 0.30));
    ++times;
  }
  CHECK(times > 40);
}

using Cells = std::vector<std::string>;

// The rows of the tables of a text in Markdown.
std::vector<Cells> rows_of(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::vector<Cells> rows;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) continue;
    Cells& cells = rows.emplace_back();
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
  }
  return rows;
}

// `+3.8 %`, `1,363 MB`: the number that a cell begins with; nothing: it has none.
std::optional<double> number_of(const std::string& cell) {
  std::string digits = cell;
  std::erase(digits, ',');
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (end == digits.c_str()) return {};
  return number;
}

// Of a table of the library, as it is in its file and as the program writes it now: the same words;
// a number may have moved by a hundredth, a percentage by a point, a count by two.
bool much_the_same(const std::string& kept, const std::string& now) {
  if (kept == now) return true;
  const auto a = number_of(kept);
  const auto b = number_of(now);
  if (!a || !b) return false;
  if (kept.find('%') != std::string::npos) return std::abs(*a - *b) <= 1;
  return std::abs(*a - *b) <= std::max(0.01 * std::abs(*a), 2.0);
}

void check_table(const std::string& kept, const std::string& now) {
  const auto before = rows_of(kept);
  const auto after = rows_of(now);
  REQUIRE(before.size() == after.size());
  for (std::size_t row = 0; row < before.size(); ++row) {
    REQUIRE(before[row].size() == after[row].size());
    for (std::size_t i = 0; i < before[row].size(); ++i) {
      CAPTURE(before[row][0], before[row][1], before[row][i], after[row][i]);
      // Answers to claims are sentences with numbers in them: their first word counts.
      const bool sentence =
          before[row][i].starts_with(" yes: ") || before[row][i].starts_with(" no: ");
      if (sentence) {
        CHECK(before[row][i].substr(0, 5) == after[row][i].substr(0, 5));
      } else {
        CHECK(much_the_same(before[row][i], after[row][i]));
      }
    }
  }
}

TEST_CASE("published: the errors of the library are what the program writes, to a point") {
  const Everything& all = everything();
  CHECK(all.predictions.size() == all.library.reported.size());  // none is left out
  INFO("write it anew: foretrain report --published, which leaves out/published/errors.md");
  check_table(read_text(kFolder / "errors.md"), errors_markdown(all.predictions, all.claims));
}

TEST_CASE("published: what is trained for real comes as near as the studies say") {
  const PublishedLibrary library = read_published(kFolder);
  for (const Measured& row : library.measured) {
    CAPTURE(row.scenario, row.number, row.quantity);
    CHECK(row.seeds == 3);
    CHECK(row.low <= row.median);
    CHECK(row.median <= row.high);
    if (row.scenario == "lenet_three_nodes/lr.yaml" && row.quantity == "test_accuracy") {
      CHECK(row.median > 0.913);
      CHECK(row.median < 0.925);
    }
    if (row.scenario == "lenet_three_nodes/lenet_nodes.yaml") CHECK(row.median > 0.98);
  }
}

}  // namespace
}  // namespace foretrain::testing
