#include "exec/calibration/repeater.h"

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

double Repeater::take(const std::function<void()>& once) {
  check_wanted(options_);
  const CoreLook before = watch_.look();
  once();
  return watch_.slower(before, watch_.look());
}

void Repeater::measure(const std::vector<Figure>& figures, const std::function<void()>& once) {
  std::vector<std::vector<double>> values(figures.size());
  std::vector<double> spreads(figures.size());
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < options_.repetitions; ++i) {
      const double slower = take(once);
      for (std::size_t f = 0; f < figures.size(); ++f) {
        values[f].push_back(*figures[f].value / (figures[f].compute ? slower : 1));
      }
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
      options_.progress(fmt::format("{}: ± {:.0f} % over {} repetitions, {}", figures[*worst].name,
                                    100 * spreads[*worst], values.front().size(),
                                    again ? "again" : "this machine is noisy"));
    }
    if (!again) break;
  }
  for (std::size_t f = 0; f < figures.size(); ++f) {
    *figures[f].value = median(values[f]).value();
    machine_.measurements.push_back(
        {figures[f].name, spreads[f], static_cast<int>(values[f].size())});
  }
}

}  // namespace foretrain::exec
