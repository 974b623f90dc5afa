// The section of a page for a sweep.
#include "reports/show/page/result_page.h"
#include "reports/show/page/sections.h"
#include "reports/studies/sweep/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kMostFigures = 6;
constexpr std::size_t kMostLines = 12;
constexpr std::size_t kFewestCells = 3;  // minimum of values of both settings in a heat map

/// Label of the metric's axis.
std::string label_of(const SweepTable& sweep, const SweepMetric& metric) {
  const std::string currency = currency_of(sweep);
  if (metric.key != std::string_view("cost") || currency.empty()) return metric.label;
  return fmt::format("cost [{}]", currency);
}

/// The metrics that have charts: those with different values, and accuracy and cost even if they
/// are equal, since that is a finding, too; not gradients/s beside examples/s, which has its shape.
std::vector<SweepMetric> charted(const SweepTable& sweep) {
  constexpr std::array kAlways{std::string_view("test_accuracy"), std::string_view("cost")};
  std::vector<SweepMetric> metrics;
  for (const SweepMetric& metric : sweep_metrics()) {
    const std::string_view rate = kBareRate;
    const bool rated = std::ranges::find(metrics, rate, &SweepMetric::key) != metrics.end();
    if (rated && metric.key == std::string_view("gradients_per_s")) continue;
    std::set<double> values;
    for (const SweepTable::Row& row : sweep.rows) {
      if (const auto value = figure_of(row, metric)) values.insert(*value);
    }
    const bool always = std::ranges::find(kAlways, metric.key) != kAlways.end();
    if (values.size() > 1 || (always && !values.empty())) metrics.push_back(metric);
  }
  return metrics;
}

/// A setting with numeric values.
struct Axis {
  std::size_t key = 0;
  std::vector<double> values;  ///< distinct, ascending
};

/// The settings with numeric values in all rows, most values first.
std::vector<Axis> axes_of(const SweepTable& sweep) {
  std::vector<Axis> axes;
  for (std::size_t key = 0; key < sweep.settings.size(); ++key) {
    std::set<double> values;
    const bool all = std::ranges::all_of(sweep.rows, [&](const SweepTable::Row& row) {
      const auto value = number_of(row.settings[key]);
      if (value) values.insert(*value);
      return value.has_value();
    });
    if (all && values.size() > 1) axes.push_back({key, {values.begin(), values.end()}});
  }
  std::ranges::stable_sort(axes, std::greater(),
                           [](const Axis& axis) { return axis.values.size(); });
  return axes;
}

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// The settings of a row other than `keys`: `sync, servers 2`.
std::string others(const SweepTable& sweep, const SweepTable::Row& row,
                   const std::set<std::size_t>& keys) {
  std::vector<std::string> parts;
  for (std::size_t key = 0; key < sweep.settings.size(); ++key) {
    if (keys.contains(key) || row.settings[key].empty()) continue;
    parts.push_back(number_of(row.settings[key])
                        ? fmt::format("{} {}", last_part(sweep.settings[key]), row.settings[key])
                        : row.settings[key]);
  }
  return parts.empty() ? "all cases" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string sweep_source(const SweepTable& sweep) {
  std::vector<std::string> sources;
  for (const SweepTable::Row& row : sweep.rows) {
    if (std::ranges::find(sources, row.source) == sources.end()) sources.push_back(row.source);
  }
  return fmt::format("{}", fmt::join(sources, "; "));
}

/// Whether each value is at least twice the previous one.
bool doubles(const std::vector<double>& values) {
  constexpr std::size_t kFewestValues = 3;
  if (values.size() < kFewestValues || values.front() <= 0) return false;
  return std::ranges::adjacent_find(
             values, [](double low, double high) { return high < 2 * low; }) == values.end();
}

/// Logarithmic axes for a setting that doubles; y is linear for metrics that do not scale with it.
Logarithmic axes_for(const Axis& axis, const SweepMetric& metric) {
  constexpr std::array kLinear{std::string_view(kEfficiency), std::string_view("test_accuracy"),
                               std::string_view("final_loss"), std::string_view("staleness_mean")};
  if (!doubles(axis.values)) return Logarithmic::none;
  const bool linear = std::ranges::find(kLinear, metric.key) != kLinear.end();
  return linear ? Logarithmic::x : Logarithmic::both;
}

/// Marks the best case on its line, or the cases that tie.
void mark_best(const SweepTable& sweep, const SweepBest& best, const Axis& axis,
               const SweepMetric& metric, Panel& panel) {
  constexpr int kBestColour = 6;  // the most prominent
  Series marks{best.tie() ? "best (a tie)" : "best", {}, {}, false, kBestColour, Mark::points};
  for (const std::size_t row : best.rows) {
    const auto value = figure_of(sweep.rows[row], metric);
    if (!value) continue;
    marks.x.push_back(number_of(sweep.rows[row].settings[axis.key]).value_or(0));
    marks.y.push_back(*value);
    marks.names.push_back(sweep.rows[row].name);
  }
  if (!marks.x.empty()) panel.series.push_back(std::move(marks));
}

Panel lines_of(const SweepTable& sweep, const Axis& axis, const SweepMetric& metric) {
  Panel panel{metric.title, sweep.settings[axis.key], label_of(sweep, metric), {}, {}};
  for (const SweepTable::Row& row : sweep.rows) {
    const auto value = figure_of(row, metric);
    if (!value) continue;
    const std::string title = others(sweep, row, {axis.key});
    auto series = std::ranges::find(panel.series, title, &Series::title);
    if (series == panel.series.end()) {
      if (panel.series.size() == kMostLines) continue;
      const int colour = static_cast<int>(panel.series.size());
      panel.series.push_back({title, {}, {}, false, colour});
      series = panel.series.end() - 1;
    }
    const double x = number_of(row.settings[axis.key]).value_or(0);
    const auto place = std::ranges::lower_bound(series->x, x) - series->x.begin();
    series->x.insert(series->x.begin() + place, x);
    series->y.insert(series->y.begin() + place, *value);
  }
  const auto positive = [](const Series& s) {
    return std::ranges::all_of(s.y, [](double y) { return y > 0; });
  };
  panel.logarithmic = axes_for(axis, metric);
  if (panel.log_y() && !std::ranges::all_of(panel.series, positive)) {
    panel.logarithmic = Logarithmic::x;
  }
  if (panel.log_x()) panel.x_ticks = axis.values;
  mark_best(sweep, best_of(sweep), axis, metric, panel);
  return panel;
}

/// Suffix of the name of a best case.
const char* mark_of(const SweepBest& best) { return best.tie() ? " (best, a tie)" : " (best)"; }

/// A bar for each case, if no setting is numeric.
Panel bars_of(const SweepTable& sweep, const SweepMetric& metric) {
  Panel panel{metric.title, "", label_of(sweep, metric), {}, {}};
  const SweepBest best = best_of(sweep);
  Series bars{metric.title, {}, {}, false, 0};
  for (const SweepTable::Row& row : sweep.rows) {
    const auto value = figure_of(row, metric);
    if (!value) continue;
    bars.x.push_back(static_cast<double>(panel.categories.size()));
    bars.y.push_back(*value);
    const bool marked = best.has(static_cast<std::size_t>(&row - sweep.rows.data()));
    panel.categories.push_back(others(sweep, row, {}) + (marked ? mark_of(best) : ""));
  }
  panel.series.push_back(std::move(bars));
  return panel;
}

/// A square for each pair of values, from the rows whose other settings are `fixed`.
Panel map_of(const SweepTable& sweep, const Axis& x, const Axis& y, const SweepMetric& metric,
             const std::string& fixed) {
  Panel panel{metric.title, sweep.settings[x.key], sweep.settings[y.key], {}, {}};
  panel.value_label = label_of(sweep, metric);
  for (const double value : x.values) panel.categories.push_back(fmt::format("{}", value));
  for (const double value : y.values) panel.rows.push_back(fmt::format("{}", value));
  Series cells{metric.title, {}, {}, false, 0, Mark::cell};
  for (const SweepTable::Row& row : sweep.rows) {
    const auto value = figure_of(row, metric);
    if (!value || others(sweep, row, {x.key, y.key}) != fixed) continue;
    const double at_x = number_of(row.settings[x.key]).value_or(0);
    const double at_y = number_of(row.settings[y.key]).value_or(0);
    cells.x.push_back(
        static_cast<double>(std::ranges::lower_bound(x.values, at_x) - x.values.begin()));
    cells.y.push_back(
        static_cast<double>(std::ranges::lower_bound(y.values, at_y) - y.values.begin()));
    cells.value.push_back(*value);
    cells.names.push_back(fmt::format("{} {}, {} {}", last_part(panel.x_label), at_x,
                                      last_part(panel.y_label), at_y));
  }
  if (!cells.x.empty()) panel.series.push_back(std::move(cells));
  return panel;
}

}  // namespace

Section sweep_section(const SweepTable& sweep, const std::vector<std::string>& stands_on) {
  const std::vector<SweepMetric> metrics = charted(sweep);
  if (sweep.rows.empty() || metrics.empty()) return {"sweep", "Sweep", "", {}, {}};
  const std::vector<Axis> axes = axes_of(sweep);
  const std::string source = sweep_source(sweep);
  Figure lines{"sweep", sweep_sentence(sweep), {}, source};
  Figure maps{"sweep_map", "Two settings at once", {}, source};
  const bool both = axes.size() > 1 && axes[1].values.size() >= kFewestCells;
  for (const SweepMetric& metric : metrics) {
    if (lines.panels.size() == kMostFigures) break;
    lines.panels.push_back(axes.empty() ? bars_of(sweep, metric)
                                        : lines_of(sweep, axes.front(), metric));
    if (!both) continue;
    const std::string fixed = others(sweep, sweep.rows.front(), {axes[0].key, axes[1].key});
    maps.title =
        "Two settings at once" + (fixed == "all cases" ? "" : ", " + fixed) + ": " + lines.title;
    Panel map = map_of(sweep, axes[0], axes[1], metric, fixed);
    if (!map.series.empty()) maps.panels.push_back(std::move(map));
  }
  std::vector<Figure> figures{std::move(lines)};
  if (!maps.panels.empty()) figures.push_back(std::move(maps));
  return result_section("sweep", "Sweep", sweep_result(sweep, stands_on), std::move(figures));
}

}  // namespace foretrain
