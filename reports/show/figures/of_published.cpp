// The figures of the published studies.
#include "reports/show/figures/of_studies.h"
#include "reports/studies/published/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

/// The figures of one panel, by what they are measured in.
struct Group {
  std::string_view title;
  std::string_view unit;  ///< of the axes
  std::vector<std::string_view> units;
};

const std::array<Group, 4> kGroups{{
    {"times", "s", {"s"}},
    {"traffic", "as reported", {"MB/s", "Mbit/s", "packets/s"}},
    {"memory", "MB", {"MB"}},
    {"accuracy, CPU", "%", {"percent"}},
}};

constexpr std::array<Role, 3> kShown{Role::fitted, Role::forecast, Role::unexplained};

Series marks_of(const Group& group, Role role, const std::string& study,
                const std::vector<Prediction>& predictions) {
  Series series{name_of(role), {}, {}, false, 0, Mark::points};
  for (const Prediction& each : predictions) {
    if (each.reported.study != study || each.role != role || !each.predicted) continue;
    if (std::ranges::find(group.units, each.reported.unit) == group.units.end()) continue;
    if (each.reported.value <= 0 || *each.predicted <= 0) continue;  // the axes are logarithmic
    series.x.push_back(each.reported.value);
    series.y.push_back(*each.predicted);
    series.names.push_back(each.reported.title());
  }
  return series;
}

Panel panel_of(const Group& group, const std::string& study,
               const std::vector<Prediction>& predictions) {
  const std::string unit(group.unit);
  Panel panel{
      std::string(group.title), "reported [" + unit + "]", "predicted [" + unit + "]", {}, {},
      Logarithmic::both};
  std::vector<double> values;
  std::vector<Series> marks;
  for (std::size_t i = 0; i < kShown.size(); ++i) {
    Series series = marks_of(group, kShown[i], study, predictions);
    if (series.x.empty()) continue;
    series.colour = static_cast<int>(i);
    values.insert(values.end(), series.x.begin(), series.x.end());
    marks.push_back(std::move(series));
  }
  if (values.empty()) return panel;
  constexpr double kGap = 1.25;  // by which the diagonal is longer than the marks reach
  const double least = std::ranges::min(values) / kGap;
  const double most = std::ranges::max(values) * kGap;
  panel.series = {
      {"as reported", {least, most}, {least, most}, true, 0, Mark::guide},
      {"15 % off", {least, most}, {least * (1 + kNear), most * (1 + kNear)}, true, 1, Mark::guide},
      {"15 % off", {least, most}, {least * (1 - kNear), most * (1 - kNear)}, true, 1, Mark::guide}};
  panel.series.insert(panel.series.end(), marks.begin(), marks.end());
  return panel;
}

/// How many of what nothing was taken from are near.
std::string published_finding(const std::string& study,
                              const std::vector<Prediction>& predictions) {
  constexpr double kPerCent = 100;
  const std::vector<StudySummary> all = summarize(predictions);
  const auto summary = std::ranges::find(all, study, &StudySummary::study);
  if (summary == all.end() || summary->forecasts == 0) return "predicted against reported";
  return fmt::format("{} of {} forecasts within {:.0f} % of what was reported", summary->near,
                     summary->forecasts, kNear * kPerCent);
}

}  // namespace

Figure published_figure(const std::string& study, const std::vector<Prediction>& predictions) {
  Figure figure{"published_" + study,
                fmt::format("{}: {}", study, published_finding(study, predictions)),
                {},
                kPredictionsSource};
  for (const Group& group : kGroups) {
    Panel panel = panel_of(group, study, predictions);
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace foretrain
