#include "exec/calibration/repeater.h"

#include "models/base/check.h"
#include "reports/record/statistics.h"

#include <fmt/format.h>

#include <cmath>

namespace foretrain::exec {
namespace {

double spread_of(const Figure& figure, const std::vector<double>& values) {
  const double spread = relative_spread(values).value_or(0);
  return spread * std::abs(median(values).value()) < figure.floor ? 0 : spread;
}

}  // namespace

std::vector<double> Repeater::measure(const std::vector<Figure>& figures,
                                      const std::function<std::vector<double>()>& once) {
  std::vector<std::vector<double>> values(figures.size());
  std::vector<double> spreads(figures.size());
  int repetitions = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < options_.repetitions; ++i, ++repetitions) {
      const std::vector<double> measured = once();
      FT_CHECK_OP(measured.size(), ==, figures.size());
      for (std::size_t f = 0; f < figures.size(); ++f) values[f].push_back(measured[f]);
    }
    std::size_t worst = 0;
    for (std::size_t f = 0; f < figures.size(); ++f) {
      spreads[f] = spread_of(figures[f], values[f]);
      if (spreads[f] > spreads[worst]) worst = f;
    }
    if (spreads[worst] <= kNoisy) break;
    if (!options_.progress) continue;
    options_.progress(fmt::format("{}: ± {:.0f} % of {} times, {}", figures[worst].name,
                                  100 * spreads[worst], repetitions,
                                  round + 1 < kRounds ? "again" : "this machine is noisy"));
  }
  std::vector<double> medians;
  medians.reserve(figures.size());
  for (std::size_t f = 0; f < figures.size(); ++f) {
    medians.push_back(median(values[f]).value());
    machine_.measurements.push_back({figures[f].name, spreads[f], repetitions});
  }
  return medians;
}

}  // namespace foretrain::exec
