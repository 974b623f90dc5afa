#include "reports/figures/thin.h"

#include "models/base/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kFewest = 4;  // the ends, a lowest, a highest

bool can_thin(const Series& s) {
  return s.mark == Mark::line || s.mark == Mark::trace || s.mark == Mark::points;
}

/// Places of the points that stay, in order.
std::vector<std::size_t> places_that_stay(const std::vector<double>& y,
                                          const std::vector<std::size_t>& known, std::size_t most) {
  const std::size_t buckets = (most - 2) / 2;
  std::vector<std::size_t> stay{known.front()};
  stay.reserve(most);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const auto at = [&](std::size_t i) {
      return known.begin() + static_cast<std::ptrdiff_t>(i * known.size() / buckets);
    };
    const auto [low, high] = std::minmax_element(
        at(bucket), at(bucket + 1), [&](std::size_t a, std::size_t b) { return y[a] < y[b]; });
    for (const std::size_t place : {std::min(*low, *high), std::max(*low, *high)}) {
      if (place > stay.back()) stay.push_back(place);
    }
  }
  if (stay.back() != known.back()) stay.push_back(known.back());
  return stay;
}

}  // namespace

Series thinned(Series series, std::size_t most) {
  FT_CHECK_OP(most, >=, kFewest);
  if (!can_thin(series) || series.x.size() <= most) return series;
  std::vector<std::size_t> known;
  known.reserve(series.y.size());
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    if (std::isfinite(series.y[i])) known.push_back(i);
  }
  const auto stay = known.size() <= most ? known : places_that_stay(series.y, known, most);
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
  // What short series leave of their share goes to the long ones: from the shortest upwards.
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
