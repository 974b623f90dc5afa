#include "reports/show/figures/gnuplot_axes.h"

#include "reports/show/figures/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace foretrain {
namespace {

constexpr double kAxisMargin = 0.03;  // beside the points, as a share of the length of the axis
constexpr double kLoneMargin = 0.1;   // if all points are at one position, as a share of its value
constexpr double kHalfCell = 0.5;     // of a heat map
constexpr double kBesideNames = 0.6;  // before the first of the names at an axis
constexpr double kBehindNames = 0.4;  // after the last one, relative to the number of names
constexpr double kLeastTold = 1e-99;  // axes beyond these limits have gnuplot's default ticks
constexpr double kMostTold = 1e99;

/// A name as a number format, which is how gnuplot takes tick labels.
std::string as_format(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

/// Tick labels of an axis: `'a' 0, 'b' 1`.
std::string names_at(const std::vector<std::string>& names) {
  std::vector<std::string> tics;
  tics.reserve(names.size());
  for (const std::string& name : names) {
    tics.push_back(fmt::format("{} {}", gnuplot_literal(as_format(name)), tics.size()));
  }
  return fmt::format("{}", fmt::join(tics, ", "));
}

/// Range around a non-empty extent. `stands`: bars begin at zero if no value is negative.
Extent shown_around(const Extent& extent, bool logarithmic, bool stands) {
  if (logarithmic) {
    const double factor =
        extent.range() > 0 ? std::pow(extent.most / extent.least, kAxisMargin) : 1 + kLoneMargin;
    return {extent.least / factor, extent.most * factor};
  }
  const double lone = extent.most != 0 ? std::abs(extent.most) * kLoneMargin : 1;
  const double margin = extent.range() > 0 ? extent.range() * kAxisMargin : lone;
  const double from = stands && extent.least >= 0 ? 0 : extent.least - margin;
  return {from, extent.most + margin};
}

/// Tick positions. A short logarithmic axis would have one power of ten, gnuplot's default, or
/// none.
std::string figures_at(const Extent& shown, bool logarithmic) {
  if (!logarithmic || shown.least < kLeastTold || shown.most > kMostTold) return "auto";
  if (std::floor(std::log10(shown.most)) - std::ceil(std::log10(shown.least)) >= 2) return "auto";
  return fmt::format("({:.9g})", fmt::join(log_ticks(shown), ", "));
}

/// Range and ticks of an axis with numbers. `places`: tick positions instead of automatic ones.
std::string figures_axis(char axis, const Extent& extent, bool logarithmic, bool stands,
                         const std::vector<double>& places) {
  std::string range = "[*:*]";
  std::string tics = "auto";
  if (!extent.empty()) {
    const Extent shown = shown_around(extent, logarithmic, stands);
    range = fmt::format("[{:.9g}:{:.9g}]", shown.least, shown.most);
    tics = figures_at(shown, logarithmic);
  }
  if (!places.empty()) tics = fmt::format("({})", fmt::join(places, ", "));
  return fmt::format("  set {0}range {1}\n  set {0}tics {2}\n", axis, range, tics);
}

Extent x_extent(const Panel& panel) {
  Extent extent;
  const auto add = [&](double x) {
    if (!panel.log_x() || x > 0) extent.add(x);
  };
  for (const Series& s : panel.series) {
    const double half = s.mark == Mark::cell ? kHalfCell : 0;
    for (const double x : s.x) {
      add(x - half);
      add(x + half);
    }
    for (const double x : s.x_end) add(x);
  }
  if (!panel.log_x()) extent.add(0);
  return extent;
}

}  // namespace

std::string gnuplot_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "'";
}

std::string gnuplot_x_axis(const Panel& panel, bool slanted) {
  if (!panel.categories.empty()) {
    return fmt::format("  set xrange [-{:.1f}:{:.1f}]\n  set xtics {}({}) nomirror scale 0\n",
                       kBesideNames, static_cast<double>(panel.categories.size()) - kBehindNames,
                       slanted ? "rotate by 20 right " : "", names_at(panel.categories));
  }
  if (panel.view) {
    return fmt::format("  set xrange [{:.9g}:{:.9g}]\n  set xtics auto\n", panel.view->first,
                       panel.view->second);
  }
  return figures_axis('x', x_extent(panel), panel.log_x(), false, panel.x_ticks);
}

std::string gnuplot_y_axis(const Panel& panel) {
  if (!panel.rows.empty()) {
    return fmt::format("  set yrange [{:.1f}:-{:.1f}]\n  set ytics ({}) nomirror scale 0\n",
                       static_cast<double>(panel.rows.size()) - kBehindNames, kBesideNames,
                       names_at(panel.rows));
  }
  const bool bars = std::ranges::any_of(
      panel.series, [&](const Series& s) { return panel.stacks(s) || s.mark == Mark::column; });
  Extent extent = y_extent(panel);
  if (!panel.log_y() && !extent.empty() && begins_at_zero(panel)) extent.add(0);
  return figures_axis('y', extent, panel.log_y(), bars, {});
}

}  // namespace foretrain
