#include "exec/calibration/repeater.h"

#include "models/base/check.h"
#include "reports/record/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace foretrain::exec {
namespace {

bool noisy(const Figure& figure, double spread, const std::vector<double>& values) {
  return spread > Repeater::kNoisy && spread * std::abs(median(values).value()) >= figure.floor;
}

}  // namespace

std::vector<double> Repeater::take(const std::vector<Figure>& figures,
                                   const std::function<std::vector<double>()>& once) {
  check_wanted(options_);
  const CoreLook before = watch_.look();
  std::vector<double> taken = once();
  const CoreLook after = watch_.look();
  FT_CHECK_OP(taken.size(), ==, figures.size());
  for (std::size_t f = 0; f < figures.size(); ++f) {
    if (figures[f].compute) taken[f] /= watch_.slower(before, after);
  }
  return taken;
}

std::vector<double> Repeater::measure(const std::vector<Figure>& figures,
                                      const std::function<std::vector<double>()>& once) {
  std::vector<std::vector<double>> values(figures.size());
  std::vector<double> spreads(figures.size());
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < options_.repetitions; ++i) {
      const std::vector<double> taken = take(figures, once);
      for (std::size_t f = 0; f < figures.size(); ++f) values[f].push_back(taken[f]);
    }
    std::optional<std::size_t> worst;  // the noisiest figure
    for (std::size_t f = 0; f < figures.size(); ++f) {
      spreads[f] = relative_spread(values[f]).value_or(0);
      const bool worse = !worst || spreads[f] > spreads[*worst];
      if (worse && noisy(figures[f], spreads[f], values[f])) worst = f;
    }
    if (!worst) break;
    const bool again = round + 1 < kRounds && std::chrono::steady_clock::now() < options_.patience;
    if (options_.progress) {
      options_.progress(fmt::format("{}: ± {:.0f} % over {} times, {}", figures[*worst].name,
                                    100 * spreads[*worst], values.front().size(),
                                    again ? "again" : "this machine is noisy"));
    }
    if (!again) break;
  }
  std::vector<double> results;
  results.reserve(figures.size());
  for (std::size_t f = 0; f < figures.size(); ++f) {
    results.push_back(quantile(values[f], figures[f].quantile).value());
    machine_.measurements.push_back(
        {figures[f].name, spreads[f], static_cast<int>(values[f].size())});
  }
  return results;
}

}  // namespace foretrain::exec
