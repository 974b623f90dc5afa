// Figure of forecasts over measured values.
#include "reports/show/figures/of_studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr auto kShownRoles = std::to_array<std::string_view>({"forecast", "fitted", "base"});

Series marks_of(const std::vector<FigureForecast>& forecasts, const std::string& unit,
                std::string_view role) {
  Series series{std::string(role), {}, {}, false, 0, Mark::points};
  for (const FigureForecast& each : forecasts) {
    const MeasuredFigure& f = each.figure;
    if (f.unit != unit || f.role != role || !each.forecast) continue;
    if (f.value <= 0 || *each.forecast <= 0) continue;  // the axes are logarithmic
    series.x.push_back(f.value);
    series.y.push_back(*each.forecast);
    series.names.push_back(fmt::format("{}: {}", f.study, f.title));
  }
  return series;
}

Panel panel_of(const std::vector<FigureForecast>& forecasts, const std::string& unit) {
  const std::string in = unit.empty() ? "" : fmt::format(" [{}]", unit);
  Panel panel{
      unit.empty() ? "numbers" : unit, "measured" + in, "forecast" + in, {}, {}, Logarithmic::both};
  std::vector<double> values;
  std::vector<Series> marks;
  for (std::size_t i = 0; i < kShownRoles.size(); ++i) {
    Series series = marks_of(forecasts, unit, kShownRoles[i]);
    if (series.x.empty()) continue;
    series.colour = static_cast<int>(i);
    values.insert(values.end(), series.x.begin(), series.x.end());
    marks.push_back(std::move(series));
  }
  if (values.empty()) return panel;
  constexpr double kGap = 1.25;  // factor from the outermost points to the ends of the diagonal
  const double least = std::ranges::min(values) / kGap;
  const double most = std::ranges::max(values) * kGap;
  const auto line = [&](const std::string& title, double factor, int colour) {
    panel.series.push_back(
        {title, {least, most}, {least * factor, most * factor}, true, colour, Mark::guide});
  };
  const std::string near = fmt::format("{:.0f} % off", kNear * 100);
  line("as measured", 1, 0);
  line(near, 1 + kNear, 1);
  line(near, 1 - kNear, 1);
  panel.series.insert(panel.series.end(), marks.begin(), marks.end());
  return panel;
}

}  // namespace

Figure measured_figure(const std::vector<FigureForecast>& forecasts, const Result& result) {
  const StudyErrors all = errors_of(forecasts).front();
  Figure figure{"measured",
                fmt::format("{} of {} forecasts within {:.0f} % of what was measured", all.near,
                            all.forecasts, kNear * 100),
                {},
                result.stands_on};
  std::vector<std::string> units;
  for (const FigureForecast& each : forecasts) {
    const std::string& unit = each.figure.unit;
    if (std::ranges::find(units, unit) != units.end()) continue;
    units.push_back(unit);
    Panel panel = panel_of(forecasts, unit);
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace foretrain
