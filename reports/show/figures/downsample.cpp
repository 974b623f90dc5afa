#include "reports/show/figures/downsample.h"

#include "models/base/check.h"
#include "reports/record/downsampled.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kFewest = 4;  // two ends, a minimum, a maximum

bool can_thin(const Series& s) {
  return s.mark == Mark::line || s.mark == Mark::trace || s.mark == Mark::points;
}

/// Indices of the remaining points, in order: all with known y, or some of them.
std::vector<std::size_t> places_that_stay(const std::vector<double>& y, std::size_t most) {
  std::vector<std::size_t> known;
  std::vector<double> known_y;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i])) continue;
    known.push_back(i);
    known_y.push_back(y[i]);
  }
  std::vector<std::size_t> stay = thinned(known_y, most);
  for (std::size_t& place : stay) place = known[place];
  return stay;
}

}  // namespace

Series thinned(Series series, std::size_t most) {
  FT_CHECK_OP(most, >=, kFewest);
  if (!can_thin(series) || series.x.size() <= most) return series;
  const auto stay = places_that_stay(series.y, most);
  const auto keep = [&](auto& values) {
    if (values.empty()) return;
    auto to = values.begin();
    for (const std::size_t place : stay) *to++ = std::move(values[place]);
    values.erase(to, values.end());
  };
  keep(series.x);
  keep(series.y);
  keep(series.names);
  return series;
}

std::size_t points_of(const Figure& figure) {
  std::size_t points = 0;
  for (const Panel& panel : figure.panels) {
    for (const Series& s : panel.series) points += s.x.size();
  }
  return points;
}

Figure thinned(Figure figure, std::size_t most) {
  if (points_of(figure) <= most) return figure;
  // The lines in order of length, so that points which short ones do not use go to longer ones.
  std::vector<Series*> lines;
  std::size_t left = most;
  for (Panel& panel : figure.panels) {
    for (Series& s : panel.series) {
      if (can_thin(s) && !panel.stacks(s)) {
        lines.push_back(&s);
      } else {
        left -= std::min(left, s.x.size());
      }
    }
  }
  std::ranges::stable_sort(lines, {}, [](const Series* s) { return s->x.size(); });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t share = std::max(kFewest, left / (lines.size() - i));
    *lines[i] = thinned(std::move(*lines[i]), share);
    left -= std::min(left, lines[i]->x.size());
  }
  return figure;
}

}  // namespace foretrain
