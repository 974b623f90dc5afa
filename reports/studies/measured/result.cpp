// The result of forecasts of measured figures.
#include "reports/record/statistics.h"
#include "reports/studies/measured/forecast_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

using ColumnKind = ResultColumn::Kind;

StudyErrors study_errors(std::string name, const std::vector<FigureForecast>& forecasts,
                         std::string_view study) {
  constexpr double kP90 = 0.9;
  StudyErrors errors;
  errors.name = std::move(name);
  std::vector<double> own;
  std::vector<double> linear;
  for (const FigureForecast& each : forecasts) {
    if (!study.empty() && each.figure.study != study) continue;
    ++errors.figures;
    if (each.figure.role == "fitted" || each.figure.role == "base") ++errors.fitted;
    if (!each.figure.is_judged() || !each.error()) continue;
    own.push_back(std::abs(*each.error()));
    if (const auto error = each.linear_error()) linear.push_back(std::abs(*error));
  }
  errors.forecasts = static_cast<int>(own.size());
  errors.median = median(own).value_or(0);
  errors.p90 = quantile(own, kP90).value_or(0);
  errors.near = static_cast<int>(std::ranges::count_if(own, [](double e) { return e <= kNear; }));
  errors.linear_median = median(linear);
  errors.linear_p90 = quantile(linear, kP90);
  return errors;
}

std::string as_share(double share) { return cell_text(share, ColumnKind::share); }

std::string measured_sentence(const StudyErrors& all, std::size_t studies) {
  const std::string of = studies == 1 ? "" : fmt::format(" of {} studies", studies);
  if (all.forecasts == 0) return fmt::format("None of {} figures{} is forecast.", all.figures, of);
  std::string text = fmt::format(
      "{} of {} figures{} are forecast: off by {} in the median, 90 % of them by no more than {}, "
      "{} by no more than {:.0f} %",
      all.forecasts, all.figures, of, as_share(all.median), as_share(all.p90), all.near,
      kNear * 100);
  if (all.linear_median) {
    text += fmt::format("; linear scaling, where it applies, by {} and {}",
                        as_share(*all.linear_median), as_share(*all.linear_p90));
  }
  return text + ".";
}

ResultTable studies_table(const std::vector<StudyErrors>& errors) {
  ResultTable table{"studies",
                    "By study",
                    {{"study", "study", ColumnKind::words},
                     {"figures", "figures", ColumnKind::count},
                     {"fitted", "fitted", ColumnKind::count},
                     {"forecasts", "forecasts", ColumnKind::count},
                     {"error_median", "median", ColumnKind::share},
                     {"error_p90", "p90", ColumnKind::share},
                     {"near", fmt::format("within {:.0f} %", kNear * 100), ColumnKind::count},
                     {"linear_error_median", "linear", ColumnKind::share},
                     {"linear_error_p90", "linear p90", ColumnKind::share}},
                    {}};
  for (const StudyErrors& e : errors) {
    const auto number = [](int count) { return ResultValue(static_cast<double>(count)); };
    const bool any = e.forecasts > 0;
    table.rows.push_back(
        {{e.name, number(e.figures), number(e.fitted), number(e.forecasts),
          any ? ResultValue(e.median) : ResultValue(), any ? ResultValue(e.p90) : ResultValue(),
          number(e.near), result_value(e.linear_median), result_value(e.linear_p90)}});
  }
  return table;
}

ResultTable figures_table(const std::vector<FigureForecast>& forecasts, bool alone) {
  ResultTable table{"figures",
                    "Every figure",
                    {{"study", "study", alone ? ColumnKind::comment : ColumnKind::words},
                     {"figure", "figure", ColumnKind::words},
                     {"unit", "unit", ColumnKind::words},
                     {"measured", "measured", ColumnKind::number},
                     {"forecast", "forecast", ColumnKind::number},
                     {"error", "error", ColumnKind::change, true},
                     {"linear_error", "linear", ColumnKind::change},
                     {"role", "role", ColumnKind::words},
                     {"staleness_mean", "staleness", ColumnKind::comment},
                     {"set", "settings", ColumnKind::comment},
                     {"note", "note", ColumnKind::comment}},
                    {}};
  for (const FigureForecast& each : forecasts) {
    const MeasuredFigure& f = each.figure;
    ResultRow row{{f.study, f.title, f.unit, f.value, result_value(each.forecast),
                   result_value(each.error()), result_value(each.linear_error()), f.role,
                   result_value(each.staleness_mean), fmt::format("{}", fmt::join(f.settings, ";")),
                   each.failure.empty() ? f.note : "simulate: " + each.failure}};
    if (f.is_judged() && each.error()) row.good = std::abs(*each.error()) <= kNear;
    table.rows.push_back(std::move(row));
  }
  table.full = !alone;
  return table;
}

}  // namespace

std::vector<StudyErrors> errors_of(const std::vector<FigureForecast>& forecasts) {
  std::vector<std::string> studies;
  for (const FigureForecast& each : forecasts) {
    if (std::ranges::find(studies, each.figure.study) == studies.end()) {
      studies.push_back(each.figure.study);
    }
  }
  std::vector<StudyErrors> errors;
  if (studies.size() > 1) errors.push_back(study_errors("all", forecasts, {}));
  for (const std::string& study : studies) errors.push_back(study_errors(study, forecasts, study));
  return errors;
}

Result result_of(const std::vector<FigureForecast>& forecasts) {
  const std::vector<StudyErrors> errors = errors_of(forecasts);
  const std::size_t studies = errors.size() > 1 ? errors.size() - 1 : 1;
  Result result{measured_sentence(errors.front(), studies), {}, {}};
  if (studies > 1) result.tables.push_back(studies_table(errors));
  result.tables.push_back(figures_table(forecasts, studies == 1));
  const bool met = std::ranges::any_of(
      forecasts, [](const FigureForecast& each) { return each.figure.role == "base"; });
  result.stands_on =
      met ? "The time of a gradient is fitted to the base of each series; everything else is "
            "simulated from the scenarios."
          : "Everything is simulated from the scenarios and the machine files that they name.";
  return result;
}

}  // namespace foretrain
