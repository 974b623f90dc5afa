#include "reports/show/figures/axes.h"

#include "reports/record/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr double kDecade = 10;
constexpr double kMostEvenSteps = 8;  // of a short axis; steps of 1, 2, 5 then give three or more

/// The products of the factors with powers of ten within the range, ascending.
std::vector<double> steps_shown(const Extent& shown, std::initializer_list<int> factors) {
  const auto first = static_cast<int>(std::floor(std::log10(shown.least)));
  const auto last = static_cast<int>(std::floor(std::log10(shown.most)));
  std::vector<double> places;
  for (int power = first; power <= last; ++power) {
    for (const int factor : factors) {
      const double place = factor * std::pow(kDecade, power);
      if (place >= shown.least && place <= shown.most) places.push_back(place);
    }
  }
  return places;
}

/// Ticks at round numbers with equal distances, as on a linear axis.
std::vector<double> even_steps(const Extent& shown) {
  const double least = (shown.most - shown.least) / kMostEvenSteps;
  const double power = std::pow(kDecade, std::floor(std::log10(least)));
  double step = power;
  for (const double factor : {2.0, 5.0, kDecade}) {
    if (step < least) step = factor * power;
  }
  const auto first = static_cast<std::int64_t>(std::ceil(shown.least / step));
  const auto last = static_cast<std::int64_t>(std::floor(shown.most / step));
  std::vector<double> places;
  places.reserve(static_cast<std::size_t>(kMostEvenSteps) + 1);
  for (std::int64_t n = first; n <= last; ++n) places.push_back(static_cast<double>(n) * step);
  return places;
}

}  // namespace

Extent y_extent(const Panel& panel) {
  Extent extent;
  std::vector<double> tops(panel.categories.size());
  for (const Series& s : panel.series) {
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!panel.stacks(s)) {
        if (!panel.log_y() || s.y[i] > 0) extent.add(s.y[i]);
        continue;
      }
      double& top = tops.at(static_cast<std::size_t>(s.x[i]));
      if (std::isfinite(s.y[i])) top += s.y[i];
      extent.add(top);
    }
  }
  return extent;
}

bool begins_at_zero(const Panel& panel) {
  const Extent y = y_extent(panel);
  const bool bars = std::ranges::any_of(
      panel.series, [&](const Series& s) { return panel.stacks(s) || s.mark == Mark::column; });
  return !panel.log_y() && (panel.from_zero || bars || (y.least >= 0 && y.least <= y.most / 2));
}

std::string y_note(const Panel& panel) {
  if (panel.log_y()) return " (log scale)";
  const Extent y = y_extent(panel);
  const bool has_zero = begins_at_zero(panel) || (y.least <= 0 && y.most >= 0);
  return has_zero || !panel.rows.empty() ? "" : " (not from 0)";
}

std::vector<double> log_ticks(const Extent& extent) {
  if (extent.empty()) return {};
  constexpr double kMargin = 1.05;  // of a short axis, so that a single value has a range
  constexpr double kStep = 2.5;     // the largest ratio of two ticks
  const double margin = extent.most < kDecade * extent.least ? kMargin : kStep;
  const Extent shown{extent.least / margin, extent.most * margin};
  std::vector<double> ticks = steps_shown(shown, {1, 2, 5});
  if (ticks.size() < 3) return even_steps(shown);
  if (ticks.size() > 16) ticks = steps_shown(shown, {1});
  if (ticks[1] <= extent.least) ticks.erase(ticks.begin());
  if (ticks.end()[-2] >= extent.most) ticks.pop_back();
  return ticks;
}

void spread_outliers(Panel& panel) {
  std::vector<double> values;
  for (const Series& s : panel.series) {
    for (const double y : s.y) {
      if (std::isfinite(y)) values.push_back(y);
    }
  }
  const Extent y = y_extent(panel);
  if (values.empty() || y.least <= 0) return;
  if (y.most <= kFlattens * median(std::move(values)).value_or(y.most)) return;
  panel.logarithmic = panel.log_x() ? Logarithmic::both : Logarithmic::y;
  panel.from_zero = false;
}

}  // namespace foretrain
