#include "reports/studies/worksheet/worksheet.h"

#include "reports/record/source.h"
#include "reports/record/statistics.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/trainings/trainings_result.h"
#include "reports/studies/validation/verdict.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

using ColumnKind = ResultColumn::Kind;
using Json = nlohmann::ordered_json;

/// A cell to write in: unlike an empty one it keeps its column on a page.
constexpr const char* kForPen = " ";
/// The columns of trainings_table that are rows of a worksheet.
constexpr auto kFigures = std::to_array<std::string_view>(
    {"step_ms", "examples_per_s", "most_sent", "others_sent", "compute_share", "push_share",
     "wait_share", "apply_share", "pull_share", "evaluate_share", "staleness_mean", "final_loss",
     "test_accuracy"});

/// A figure as predicted, as measured.
struct Pair {
  ResultColumn column;
  bool predicted = false;
  bool measured = false;
  Comparison compared{};  ///< of the known values

  /// A share of a step has no error: it follows from the times.
  [[nodiscard]] std::optional<double> error() const {
    const bool has = predicted && measured && column.kind != ColumnKind::share;
    return has ? compared.error : std::nullopt;
  }
};

ResultTable figures_of(const std::vector<Record>& records) {
  std::vector<Trained> trainings;
  for (const Record& record : records) trainings.push_back({record, summarize(record), {}, "", ""});
  return trainings_table(trainings);
}

std::vector<double> numbers_in(const ResultTable& table, std::size_t column) {
  std::vector<double> numbers;
  for (const ResultRow& row : table.rows) {
    if (const auto* number = std::get_if<double>(&row.values[column])) numbers.push_back(*number);
  }
  return numbers;
}

std::vector<Pair> pairs_of(const WorksheetCase& of) {
  const ResultTable runs = figures_of(of.runs);
  const ResultTable simulations = figures_of(of.simulations);
  std::vector<Pair> pairs;
  std::vector<Comparison> comparisons;
  for (const std::string_view name : kFigures) {
    const auto column = std::ranges::find(runs.columns, name, &ResultColumn::name);
    const auto place = static_cast<std::size_t>(column - runs.columns.begin());
    const std::vector<double> measured = numbers_in(runs, place);
    const std::vector<double> predicted = numbers_in(simulations, place);
    if (measured.empty() && predicted.empty()) continue;
    pairs.push_back({*column, !predicted.empty(), !measured.empty()});
    comparisons.push_back(compared(column->name, "", measured.empty() ? predicted : measured,
                                   *median(predicted.empty() ? measured : predicted)));
  }
  if (!of.simulations.empty()) add_ranges(of.simulations.front(), comparisons);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].compared = std::move(comparisons[i]);
  return pairs;
}

std::string limit_sentence(const WorksheetCase& of) {
  return of.limit ? limit_text(of.first().scenario_case, *of.limit) + "." : "";
}

/// The phase whose forecast is off by most; empty without answers, or if one mode lacks it.
std::string gap_sentence(const WorksheetCase& of) {
  if (!of.limit || of.runs.empty() || of.simulations.empty()) return {};
  CaseValidation both;
  both.comparisons = compare(of.runs, of.simulations.front());
  const auto gap = largest_gap(both);
  return gap ? fmt::format("Largest difference in a mean step: {}.", sentence(*gap)) : "";
}

std::vector<WrittenQuestion> questions_of(const WorksheetCase& of) {
  return {
      {"How long does a step take? Calculate it by hand first: compute, bytes over the "
       "slowest link, waiting. Enter it in the table.",
       3},
      {"How many bytes does each worker send in a step? How many does the root or the server "
       "send, and why?",
       2},
      {"What limits this case, and where does the table show it?", 2, limit_sentence(of)},
      {"What would the next worker add, in examples/s and in bytes? Which node bears it?", 2},
      {"Explain where your figure, the forecast and the measurement differ.", 3, gap_sentence(of)}};
}

std::string heading(const std::string& mode, const std::vector<Record>& records, const char* none) {
  if (records.empty()) return mode + none;
  return records.size() == 1 ? mode : mode + fmt::format(" (median of {})", records.size());
}

ResultRow row_of(const WorksheetCase& of, const Pair& pair) {
  const Comparison& c = pair.compared;
  const auto cell = [&](const std::vector<Record>& records, bool known, double value) {
    if (records.empty()) return std::string(kForPen);
    return known ? cell_text(value, pair.column.kind) : "-";
  };
  const bool ranged = pair.predicted && c.predicted_low < c.predicted_high;
  const auto error = pair.error();
  return {{pair.column.title, kForPen, cell(of.simulations, pair.predicted, c.predicted),
           ranged ? fmt::format("{} to {}", figure(c.predicted_low), figure(c.predicted_high))
                  : kForPen,
           cell(of.runs, pair.measured, c.measured),
           error && of.limit ? signed_percent(*error) : kForPen}};
}

/// Says of a case with one mode by which key another case of its name differs; else empty.
std::string unpaired(const WorksheetCase& of, const std::vector<WorksheetCase>& cases) {
  const Case& own = of.first().scenario_case;
  for (const WorksheetCase& other : cases) {
    const Case& its = other.first().scenario_case;
    const bool completes = of.runs.empty() ? !other.runs.empty() : !other.simulations.empty();
    const bool both = !of.runs.empty() && !of.simulations.empty();
    if (both || !completes || title_of(own) != title_of(its)) continue;
    return fmt::format(" Another case of this name differs in {}.",
                       difference_in_scenario(own.scenario, its.scenario)->key);
  }
  return {};
}

}  // namespace

std::vector<WorksheetCase> worksheet_cases(const std::vector<Record>& records) {
  std::vector<WorksheetCase> cases;
  std::map<std::string, std::size_t> places;  // index of the case, by its scenario
  for (const Record& record : records) {
    if (record.outcome != Outcome::done) continue;
    Scenario scenario = record.scenario_case.scenario;
    scenario.question.clear();
    const auto [place, first] = places.try_emplace(to_yaml(scenario), cases.size());
    if (first) cases.emplace_back();
    WorksheetCase& its = cases[place->second];
    (record.mode == Mode::run ? its.runs : its.simulations).push_back(record);
  }
  if (!cases.empty()) return cases;
  throw InputError(
      "--worksheet: no record of a complete training; name folders that run, simulate or validate "
      "wrote");
}

Json to_json(const std::vector<WorksheetCase>& cases) {
  Json list = Json::array();
  for (const WorksheetCase& each : cases) {
    const Case& scenario_case = each.first().scenario_case;
    Json& json = list.emplace_back(Json{{"scenario", scenario_case.scenario.name},
                                        {"case", title_of(scenario_case)},
                                        {"settings", to_json(scenario_case.settings)},
                                        {"runs", each.runs.size()},
                                        {"simulations", each.simulations.size()},
                                        {"predicted", Json()},
                                        {"measured", Json()},
                                        {"error", Json::object()}});
    for (const Pair& pair : pairs_of(each)) {
      const std::string& name = pair.column.name;
      if (pair.predicted) json["predicted"][name] = pair.compared.predicted;
      if (pair.measured) json["measured"][name] = pair.compared.measured;
      if (const auto error = pair.error()) json["error"][name] = *error;
    }
    if (!each.limit) continue;
    json["limits"] = {{"resource", each.limit->resource},
                      {"share", each.limit->share},
                      {"whose", each.limit->whose},
                      {"sentence", limit_sentence(each)}};
  }
  return {{"cases", std::move(list)}};
}

Result result_of(const std::vector<WorksheetCase>& cases) {
  std::vector<Record> heads;
  for (const WorksheetCase& each : cases) heads.push_back(each.first());
  const std::vector<std::string> names = names_among(heads);
  Result result;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const WorksheetCase& each = cases[i];
    if (!each.runs.empty() && !each.simulations.empty()) heads.push_back(each.simulations.front());
    ResultTable& table = result.tables.emplace_back(
        ResultTable{fmt::format("case_{}", i + 1),
                    names[i],
                    {{"figure", "figure", ColumnKind::words},
                     {"by_hand", "by hand", ColumnKind::words, false, false},
                     {"predicted", heading("predicted", each.simulations, " (not simulated)")},
                     {"range", "range", ColumnKind::words},
                     {"measured", heading("measured", each.runs, " (not run)")},
                     {"error", "error", ColumnKind::words}},
                    {},
                    true,
                    each.first().scenario_case.scenario.question + unpaired(each, cases),
                    questions_of(each)});
    for (const Pair& pair : pairs_of(each)) table.rows.push_back(row_of(each, pair));
  }
  result.sentence = fmt::format("{}, {} of them both predicted and measured.",
                                counted(static_cast<std::int64_t>(cases.size()), "case"),
                                heads.size() - cases.size());
  result.stands_on = source_of(heads);
  return result;
}

}  // namespace foretrain
