#include "reports/studies/published/claims.h"

#include "reports/record/table_file.h"
#include "reports/record/text.h"
#include "reports/studies/published/quantity.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace foretrain {
namespace {

constexpr std::array<std::string_view, 11> kClaimColumns{
    "study",    "claim",    "metric",     "relation",    "first", "second",
    "scenario", "quantity", "first_case", "second_case", "note"};

std::string cell_text(const std::string& cell) { return cell == "-" ? std::string() : cell; }

std::string figure_name(const ReportedFigure& figure) {
  const auto cell = [](std::optional<int> number) {
    return number ? fmt::format("{}", *number) : std::string("-");
  };
  return fmt::format("{}/{}/{}/{}", figure.table, figure.mode, cell(figure.workers),
                     cell(figure.batch_size));
}

/// The first figure of the study that is called `name`: of several nodes the first one.
const Prediction* prediction_of(const std::vector<Prediction>& predictions, const Claim& claim,
                                const std::string& name) {
  const auto found = std::ranges::find_if(predictions, [&](const Prediction& each) {
    return each.reported.study == claim.study && each.reported.metric == claim.metric &&
           figure_name(each.reported) == name;
  });
  return found == predictions.end() ? nullptr : &*found;
}

/// `unit`: what an accuracy of all is, 1 or 100.
bool holds(const Claim& claim, double first, double second, double unit) {
  const bool accuracy = claim.metric == "test_accuracy";
  const double least = accuracy ? 0.005 * unit : 0.05 * std::abs(second);
  const bool differ = std::abs(first - second) > least;
  if (claim.relation == "~") return !differ;
  return differ && (claim.relation == "<" ? first < second : first > second);
}

std::optional<Answered> answered(const Claim& claim, std::optional<double> first,
                                 std::optional<double> second, double unit) {
  if (!first || !second) return std::nullopt;
  return Answered{*first, *second, holds(claim, *first, *second, unit)};
}

std::optional<Answered> executed(const Claim& claim, const std::vector<Measured>& measured) {
  const auto value = [&](int number) -> std::optional<double> {
    const Measured* row = find_measured(measured, claim.scenario, number, claim.quantity);
    return row == nullptr ? std::nullopt : std::optional(row->median);
  };
  return answered(claim, value(claim.first_case), value(claim.second_case), 1);
}

}  // namespace

std::vector<Claim> read_claims(const std::string& path) {
  std::vector<Claim> claims;
  for (const TableRow& row : read_table(path, kClaimColumns)) {
    const std::vector<std::string>& c = row.cells;
    if (c[3] != "<" && c[3] != ">" && c[3] != "~") {
      throw InputError(fmt::format("{}: relation '{}'; write <, > or ~", row.place, c[3]));
    }
    claims.push_back({row.place, c[0], c[1], c[2], c[3], c[4], c[5], cell_text(c[6]),
                      cell_text(c[7]), whole_in(c[8], row.place).value_or(0),
                      whole_in(c[9], row.place).value_or(0), cell_text(c[10])});
    if (!claims.back().quantity.empty() && !is_quantity(claims.back().quantity)) {
      throw InputError(
          fmt::format("{}: no quantity is called '{}'", row.place, claims.back().quantity));
    }
  }
  return claims;
}

std::vector<ClaimAnswers> answer(const std::vector<Claim>& claims,
                                 const std::vector<Prediction>& predictions,
                                 const std::vector<Measured>& measured) {
  std::vector<ClaimAnswers> answers;
  for (const Claim& claim : claims) {
    const auto of_study = [&](const Prediction& p) { return p.reported.study == claim.study; };
    if (std::ranges::none_of(predictions, of_study)) continue;
    const Prediction* first = prediction_of(predictions, claim, claim.first);
    const Prediction* second = prediction_of(predictions, claim, claim.second);
    if (first == nullptr || second == nullptr) {
      throw InputError(fmt::format("{}: no reported {} is called {}", claim.place, claim.metric,
                                   first == nullptr ? claim.first : claim.second));
    }
    constexpr double kPercent = 100;
    // A formula that says how an artefact came about is no forecast of a training.
    const bool forecast = first->role != Role::artefact && second->role != Role::artefact;
    answers.push_back(
        {claim, answered(claim, first->reported.value, second->reported.value, kPercent),
         forecast ? answered(claim, first->predicted, second->predicted, kPercent) : std::nullopt,
         executed(claim, measured)});
  }
  return answers;
}

std::string sentence(const std::optional<Answered>& answered) {
  if (!answered) return "-";
  const double a = answered->first;
  const double b = answered->second;
  return fmt::format("{}: {} to {}", answered->holds ? "yes" : "no", figure(a), figure(b));
}

}  // namespace foretrain
