#include "reports/studies/published/tables.h"

#include "reports/record/csv.h"
#include "reports/record/statistics.h"
#include "reports/record/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

std::vector<std::string> studies_in(const std::vector<Prediction>& predictions) {
  std::vector<ReportedFigure> figures;
  figures.reserve(predictions.size());
  for (const Prediction& each : predictions) figures.push_back(each.reported);
  return studies_of(figures);
}

bool is_settled(Role role) {
  return role == Role::unexplained || role == Role::artefact || role == Role::impossible;
}

std::string with_unit(double value, const std::string& unit) {
  return unit.empty() ? figure(value) : fmt::format("{} {}", figure(value), unit);
}

std::string study_lines(const std::vector<StudySummary>& summaries) {
  constexpr std::array kColumns{20, -8, -8, -11, -10, -7, -12};
  std::string text = table_line(
      kColumns, {"study", "figures", "fitted", "forecasts", "median", "near", "set aside"});
  for (const StudySummary& s : summaries) {
    text += table_line(
        kColumns, {s.study, fmt::format("{}", s.figures), fmt::format("{}", s.fitted),
                   fmt::format("{}", s.forecasts), fmt::format("{:.1f} %", s.median_error * 100),
                   fmt::format("{}", s.near), fmt::format("{}", s.not_explained + s.without)});
  }
  return text;
}

std::string figure_lines(const std::vector<Prediction>& predictions) {
  std::string text;
  std::string study;
  for (const Prediction& each : predictions) {
    if (each.reported.study != study) {
      study = each.reported.study;
      text += fmt::format("\n {}{}{}{} role\n", left(study, 39), right("reported", 9),
                          right("predicted", 10), right("error", 9));
    }
    text += fmt::format(" {}{}{}{} {}\n", left(each.reported.title(), 39),
                        right(figure(each.reported.value), 9), right(figure(each.predicted), 10),
                        right(signed_percent(each.error()), 9), name_of(each.role));
  }
  return text;
}

std::string claim_lines(const std::vector<ClaimAnswers>& claims) {
  std::string text;
  for (const ClaimAnswers& each : claims) {
    text += "\n" + wrap(fmt::format("{}: {}.", each.claim.study, each.claim.text));
    text += fmt::format("  reported {}; simulator {}; executor {}\n", sentence(each.reported),
                        sentence(each.simulator), sentence(each.executor));
  }
  return text;
}

std::string claims_markdown(const std::vector<ClaimAnswers>& claims) {
  if (claims.empty()) return {};
  std::string text =
      "\n## What the authors claim\n\n"
      "The study's own figures, the forecast of them, a run on this machine: each a comparison of "
      "two "
      "figures.\n\n"
      "| study | claim | reported | simulator | executor | note |\n|---|---|---|---|---|---|\n";
  for (const ClaimAnswers& each : claims) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", each.claim.study, each.claim.text,
                        sentence(each.reported), sentence(each.simulator), sentence(each.executor),
                        each.claim.note);
  }
  return text;
}

nlohmann::ordered_json answer_json(const std::optional<Answered>& answered) {
  if (!answered) return nullptr;
  return {{"holds", answered->holds}, {"first", answered->first}, {"second", answered->second}};
}

}  // namespace

std::vector<StudySummary> summarize(const std::vector<Prediction>& predictions) {
  std::vector<StudySummary> summaries;
  for (const std::string& study : studies_in(predictions)) {
    StudySummary summary;
    summary.study = study;
    std::vector<double> errors;
    for (const Prediction& each : predictions) {
      if (each.reported.study != study) continue;
      ++summary.figures;
      if (each.role == Role::fitted) ++summary.fitted;
      if (is_settled(each.role)) ++summary.not_explained;
      if (!each.error() && !is_settled(each.role)) ++summary.without;
      if (each.role == Role::forecast && each.error()) errors.push_back(std::abs(*each.error()));
    }
    summary.forecasts = static_cast<int>(errors.size());
    summary.near =
        static_cast<int>(std::ranges::count_if(errors, [](double e) { return e <= kNear; }));
    summary.median_error = median(errors).value_or(0);
    summaries.push_back(summary);
  }
  return summaries;
}

std::string summary_sentence(const std::vector<StudySummary>& summaries) {
  int figures = 0;
  int forecasts = 0;
  int near = 0;
  for (const StudySummary& each : summaries) {
    figures += each.figures;
    forecasts += each.forecasts;
    near += each.near;
  }
  return fmt::format(
      "{} reported figures of {}: {} of {} forecasts are within {:.0f} %.", figures,
      summaries.size() == 1 ? summaries.front().study : fmt::format("{} studies", summaries.size()),
      near, forecasts, kNear * 100);
}

std::string to_table(const std::vector<Prediction>& predictions,
                     const std::vector<ClaimAnswers>& claims) {
  const std::vector<StudySummary> summaries = summarize(predictions);
  return wrap(summary_sentence(summaries)) + study_lines(summaries) + figure_lines(predictions) +
         claim_lines(claims);
}

namespace {

/// A line a study.
std::string summary_markdown(const std::vector<Prediction>& predictions) {
  std::string text = fmt::format(
      "| study | figures | fitted | forecasts | their median error | within {:.0f} % | "
      "unexplained, "
      "artefact, impossible | not predicted |\n|---|---|---|---|---|---|---|---|\n",
      kNear * 100);
  for (const StudySummary& s : summarize(predictions)) {
    text += fmt::format("| `{}` | {} | {} | {} | {:.1f} % | {} | {} | {} |\n", s.study, s.figures,
                        s.fitted, s.forecasts, s.median_error * 100, s.near, s.not_explained,
                        s.without);
  }
  return text;
}

}  // namespace

std::string errors_markdown(const std::vector<Prediction>& predictions,
                            const std::vector<ClaimAnswers>& claims) {
  std::string text =
      "# Every reported figure beside its prediction\n\n"
      "Written by `foretrain report --published`; `readings.csv` says how each is "
      "predicted.\nRoles: *fitted* (the machine file was fitted to it), *forecast*, *given* (an "
      "input), *unexplained* (no\nsimple model explains it), *artefact* (not what it is called), "
      "*impossible*, *unknown* (not reported\nwhat it depends on, or not modelled).\n\n" +
      summary_markdown(predictions);
  std::string study;
  for (const Prediction& each : predictions) {
    if (each.reported.study != study) {
      study = each.reported.study;
      text += fmt::format(
          "\n## {}\n\n| figure | reported | predicted | error | role | from | note |\n"
          "|---|---|---|---|---|---|---|\n",
          study);
    }
    const std::string predicted =
        each.predicted ? with_unit(*each.predicted, each.reported.unit) : "-";
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", each.reported.title(),
                        with_unit(each.reported.value, each.reported.unit), predicted,
                        signed_percent(each.error()), name_of(each.role),
                        each.from.empty() ? "-" : each.from, each.note);
  }
  return text + claims_markdown(claims);
}

std::string errors_csv(const std::vector<Prediction>& predictions) {
  constexpr std::array<std::string_view, 9> kColumns{
      "study", "figure", "unit", "reported", "predicted", "error", "role", "from", "note"};
  CsvWriter csv(kColumns);
  const auto number_or_empty = [&](std::optional<double> value) {
    if (value) {
      csv.number(*value);
    } else {
      csv.empty();
    }
  };
  for (const Prediction& each : predictions) {
    csv.text(each.reported.study).text(each.reported.title()).text(each.reported.unit);
    csv.number(each.reported.value);
    number_or_empty(each.predicted);
    number_or_empty(each.error());
    csv.text(name_of(each.role)).text(each.from).text(each.note).end_row();
  }
  return std::string(csv.written());
}

nlohmann::ordered_json to_json(const std::vector<Prediction>& predictions,
                               const std::vector<ClaimAnswers>& claims) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  Json json;
  json["studies"] = Json::array();
  for (const StudySummary& s : summarize(predictions)) {
    json["studies"].push_back({{"study", s.study},
                               {"figures", s.figures},
                               {"fitted", s.fitted},
                               {"forecasts", s.forecasts},
                               {"median_error", s.median_error},
                               {"near", s.near},
                               {"not_explained", s.not_explained},
                               {"not_predicted", s.without}});
  }
  json["figures"] = Json::array();
  for (const Prediction& each : predictions) {
    json["figures"].push_back({{"study", each.reported.study},
                               {"figure", each.reported.title()},
                               {"unit", each.reported.unit},
                               {"reported", each.reported.value},
                               {"predicted", or_null(each.predicted)},
                               {"error", or_null(each.error())},
                               {"role", name_of(each.role)},
                               {"from", each.from},
                               {"note", each.note}});
  }
  json["claims"] = Json::array();
  for (const ClaimAnswers& each : claims) {
    json["claims"].push_back({{"study", each.claim.study},
                              {"claim", each.claim.text},
                              {"reported", answer_json(each.reported)},
                              {"simulator", answer_json(each.simulator)},
                              {"executor", answer_json(each.executor)}});
  }
  return json;
}

}  // namespace foretrain
