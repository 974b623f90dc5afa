#include "reports/show/figures/gnuplot_axes.h"

#include "reports/show/figures/extent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace foretrain {
namespace {

constexpr double kAxisMargin = 0.03;  // beside the points, of the length of the axis
constexpr double kLoneMargin = 0.1;   // likewise where all lie at one place, of its figure
constexpr double kHalfCell = 0.5;     // of a heat map
constexpr double kBesideNames = 0.6;  // before the first of names at an axis
constexpr double kBehindNames = 0.4;  // behind the last, of which the number counts one more

/// A name as a format of the number that it stands at, which is how gnuplot takes it.
std::string as_format(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

/// Names at an axis: `'a' 0, 'b' 1`.
std::string names_at(const std::vector<std::string>& names) {
  std::vector<std::string> tics;
  tics.reserve(names.size());
  for (const std::string& name : names) {
    tics.push_back(fmt::format("{} {}", gnuplot_literal(as_format(name)), tics.size()));
  }
  return fmt::format("{}", fmt::join(tics, ", "));
}

/// Adds a figure that has a place on the axis.
void add_shown(Extent& extent, double value, bool logarithmic) {
  if (!logarithmic || value > 0) extent.add(value);
}

/// `[from:to]` around the extent; `stands`: bars stand on zero, where nothing lies below it.
std::string range_around(const Extent& extent, bool logarithmic, bool stands) {
  if (extent.empty()) return "[*:*]";
  if (logarithmic) {
    const double factor =
        extent.range() > 0 ? std::pow(extent.most / extent.least, kAxisMargin) : 1 + kLoneMargin;
    return fmt::format("[{:.9g}:{:.9g}]", extent.least / factor, extent.most * factor);
  }
  const double lone = extent.most != 0 ? std::abs(extent.most) * kLoneMargin : 1;
  const double margin = extent.range() > 0 ? extent.range() * kAxisMargin : lone;
  const double from = stands && extent.least >= 0 ? 0 : extent.least - margin;
  return fmt::format("[{:.9g}:{:.9g}]", from, extent.most + margin);
}

Extent x_extent(const Panel& panel) {
  Extent extent;
  for (const Series& s : panel.series) {
    const double half = s.mark == Mark::cell ? kHalfCell : 0;
    for (const double x : s.x) {
      add_shown(extent, x - half, panel.log_x());
      add_shown(extent, x + half, panel.log_x());
    }
    for (const double x : s.x_end) add_shown(extent, x, panel.log_x());
  }
  if (!panel.log_x()) extent.add(0);
  return extent;
}

Extent y_extent(const Panel& panel) {
  Extent extent;
  std::vector<double> tops(panel.categories.size());
  for (const Series& s : panel.series) {
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!panel.stacks(s)) {
        add_shown(extent, s.y[i], panel.log_y());
        continue;
      }
      double& top = tops.at(static_cast<std::size_t>(s.x[i]));
      if (std::isfinite(s.y[i])) top += s.y[i];
      extent.add(top);
    }
  }
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
  std::string places = "auto";
  if (!panel.x_ticks.empty()) places = fmt::format("({})", fmt::join(panel.x_ticks, ", "));
  return fmt::format("  set xrange {}\n  set xtics {}\n",
                     range_around(x_extent(panel), panel.log_x(), false), places);
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
  if (!panel.log_y() && !extent.empty() && (bars || panel.from_zero)) extent.add(0);
  return fmt::format("  set yrange {}\n  set ytics auto\n",
                     range_around(extent, panel.log_y(), bars));
}

}  // namespace foretrain
