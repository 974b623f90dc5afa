// Downsampling of long series keeps their extremes.
#include "reports/show/figures/downsample.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

namespace foretrain {
namespace {

Series ramp(std::size_t points) {
  Series series{"ramp", {}, {}, false, 0, Mark::trace};
  for (std::size_t i = 0; i < points; ++i) {
    series.x.push_back(static_cast<double>(i));
    series.y.push_back(static_cast<double>(i % 10));
  }
  return series;
}

}  // namespace

TEST_CASE("thinning: a million points keep their extremes, their ends, their order") {
  Series series = ramp(1'000'000);
  series.y[345'678] = 1e6;
  series.y[654'321] = -1e6;
  const Series thin = thinned(series, 2000);
  CHECK(thin.x.size() <= 2000);
  CHECK(thin.x.size() > 1000);
  CHECK(std::ranges::is_sorted(thin.x));
  CHECK(thin.x.front() == 0);
  CHECK(thin.x.back() == 999'999);
  const auto high = std::ranges::max_element(thin.y) - thin.y.begin();
  const auto low = std::ranges::min_element(thin.y) - thin.y.begin();
  CHECK(thin.y[static_cast<std::size_t>(high)] == 1e6);
  CHECK(thin.x[static_cast<std::size_t>(high)] == 345'678);
  CHECK(thin.y[static_cast<std::size_t>(low)] == -1e6);
  CHECK(thin.x[static_cast<std::size_t>(low)] == 654'321);
}

TEST_CASE("thinning: the lowest and the highest of every stretch stay, whatever the points") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{6}));
  INFO("seed " << seed);
  Stream draw(seed, "test.thin");
  Series series = ramp(5002);
  for (double& y : series.y) y = static_cast<double>(draw.below(1'000'000));
  const Series thin = thinned(series, 202);
  // Both ends, and 100 sections of 50 points between them.
  for (std::size_t begin = 1; begin < 5001; begin += 50) {
    const auto from = series.y.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto [low, high] = std::minmax_element(from, from + 50);
    for (const auto& extreme : {low, high}) {
      const auto place = static_cast<double>(extreme - series.y.begin());
      CHECK(std::ranges::find(thin.x, place) != thin.x.end());
    }
  }
}

TEST_CASE("thinning: unknown points go first, short series and bars stay as they are") {
  Series series = ramp(100);
  for (std::size_t i = 0; i < 95; ++i) series.y[i] = std::numeric_limits<double>::quiet_NaN();
  CHECK(thinned(series, 10).x == std::vector<double>{95, 96, 97, 98, 99});
  CHECK(thinned(ramp(10), 10).x.size() == 10);
  Series bars = ramp(100);
  bars.mark = Mark::span;
  CHECK(thinned(bars, 10).x.size() == 100);
}

TEST_CASE("thinning: lines of a figure share what it may have, short ones are whole") {
  Figure figure{"f", "", {{"p", "", "", {ramp(50), ramp(10'000), ramp(10'000)}, {}}}};
  const Figure thin = thinned(figure, 1050);
  const auto& series = thin.panels[0].series;
  CHECK(series[0].x.size() == 50);
  CHECK(points_of(thin) <= 1050);
  CHECK(series[1].x.size() > 350);
  CHECK(series[2].x.size() > 350);
}

}  // namespace foretrain
