#include "exec/calibration/repeater.h"

#include "models/base/check.h"
#include "reports/record/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace foretrain::exec {
namespace {

bool noisy(const Figure& figure, double spread, const std::vector<double>& values) {
  return spread > Repeater::kNoisy && spread * std::abs(median(values).value()) >= figure.floor;
}

}  // namespace

Repeater::Taken Repeater::take(const std::vector<Figure>& figures, const Once& once) {
  const CoreProbe before = watch_.look();
  Taken taken{once(), {}};
  const CoreProbe after = watch_.look();
  FT_CHECK_OP(taken.values.size(), ==, figures.size());
  for (std::size_t f = 0; f < figures.size(); ++f) {
    if (figures[f].compute) taken.values[f] /= watch_.slower(before, after);
  }
  taken.distance = distance_over(std::array{before, after});
  return taken;
}

AcrossCores Repeater::repeat(const std::vector<Figure>& figures, const Once& once, bool across) {
  std::vector<Taken> all;
  AcrossCores result;
  std::vector<std::vector<double>> values;
  std::vector<double> spreads(figures.size());
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < options_.repetitions; ++i) {
      Taken taken = take(figures, once);
      for (int attempt = 1; across && attempt < kAttempts; ++attempt) {
        if (taken.distance != CoreDistance::mixed) break;
        taken = take(figures, once);
      }
      all.push_back(std::move(taken));
    }
    const auto met = [&](CoreDistance distance) {
      return std::ranges::count(all, distance, &Taken::distance);
    };
    const auto near = met(CoreDistance::near);
    const auto far = met(CoreDistance::far);
    result.distance = all.front().distance;
    if (near + far > 0) result.distance = near >= far ? CoreDistance::near : CoreDistance::far;
    values.assign(figures.size(), {});
    for (const Taken& taken : all) {
      if (across && taken.distance != result.distance) continue;
      for (std::size_t f = 0; f < figures.size(); ++f) values[f].push_back(taken.values[f]);
    }
    std::optional<std::size_t> worst;  // of those that are noisy
    for (std::size_t f = 0; f < figures.size(); ++f) {
      spreads[f] = relative_spread(values[f]).value_or(0);
      const bool worse = !worst || spreads[f] > spreads[*worst];
      if (worse && noisy(figures[f], spreads[f], values[f])) worst = f;
    }
    if (!worst) break;
    const bool again = round + 1 < kRounds && std::chrono::steady_clock::now() < options_.patience;
    if (options_.progress) {
      options_.progress(fmt::format("{}: ± {:.0f} % of {} times, {}", figures[*worst].name,
                                    100 * spreads[*worst], values.front().size(),
                                    again ? "again" : "this machine is noisy"));
    }
    if (!again) break;
  }
  result.values.reserve(figures.size());
  for (std::size_t f = 0; f < figures.size(); ++f) {
    result.values.push_back(quantile(values[f], figures[f].quantile).value());
    machine_.measurements.push_back(
        {figures[f].name, spreads[f], static_cast<int>(values[f].size())});
  }
  return result;
}

std::vector<double> Repeater::measure(const std::vector<Figure>& figures, const Once& once) {
  return repeat(figures, once, false).values;
}

AcrossCores Repeater::measure_across(const std::vector<Figure>& figures, const Once& once) {
  return repeat(figures, once, true);
}

}  // namespace foretrain::exec
