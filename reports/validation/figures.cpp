#include "reports/validation/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace foretrain {
namespace {

constexpr double kLineGap = 1.25;  // by which the diagonal is longer than the marks reach

/// The step times of a strategy.
struct Times {
  std::string strategy;
  std::vector<double> measured_ms;
  std::vector<double> predicted_ms;
  std::vector<double> errors;  // per cent
};

std::vector<Times> times_of(const Validation& validation) {
  std::vector<Times> all;
  for (const std::string& strategy : validation.strategies()) {
    Times times{strategy, {}, {}, {}};
    for (const CaseValidation& c : validation.cases) {
      const Comparison* step = c.find("step_time_ms");
      if (c.strategy() != strategy || step == nullptr) continue;
      if (step->measured <= 0 || step->predicted <= 0) continue;  // no place on a logarithmic axis
      times.measured_ms.push_back(step->measured);
      times.predicted_ms.push_back(step->predicted);
      times.errors.push_back((step->predicted / step->measured - 1) * 100);
    }
    if (!times.measured_ms.empty()) all.push_back(std::move(times));
  }
  return all;
}

/// The line on which `predicted` is `factor` times `measured`.
Series line_at(double factor, const char* title, double from, double to) {
  return {title, {from, to}, {factor * from, factor * to}, true, 0, Mark::guide};
}

Panel predicted_against_measured(const std::vector<Times>& all) {
  Panel panel{"step time", "measured [ms]", "predicted [ms]", {}, {}, true};
  double least = all.front().measured_ms.front();
  double most = least;
  for (const Times& times : all) {
    least = std::min(least, std::ranges::min(times.measured_ms));
    most = std::max(most, std::ranges::max(times.measured_ms));
  }
  least /= kLineGap;
  most *= kLineGap;
  panel.series = {line_at(1, "as measured", least, most), line_at(1.05, "5 % off", least, most),
                  line_at(0.95, "5 % off", least, most), line_at(1.1, "10 % off", least, most),
                  line_at(0.9, "10 % off", least, most)};
  for (std::size_t i = 1; i < panel.series.size(); ++i) panel.series[i].colour = i < 3 ? 1 : 2;
  for (const Times& times : all) {
    const int colour = static_cast<int>(&times - all.data());
    panel.series.push_back(
        {times.strategy, times.measured_ms, times.predicted_ms, false, colour, Mark::points});
  }
  return panel;
}

Panel errors_by_strategy(const std::vector<Times>& all) {
  Panel panel{"error by strategy", "", "predicted against measured [%]", {}, {}};
  const double end = static_cast<double>(all.size()) - 0.5;
  const auto level = [&](const char* title, double y, int colour) {
    panel.series.push_back({title, {-0.5, end}, {y, y}, true, colour, Mark::guide});
  };
  level("as measured", 0, 0);
  for (const double sign : {1.0, -1.0}) {
    level("5 % off", 5 * sign, 1);
    level("10 % off", 10 * sign, 2);
  }
  for (const Times& times : all) {
    const auto place = &times - all.data();
    Series series{times.strategy, {}, times.errors, false, static_cast<int>(place), Mark::points};
    // Beside each other, in the order of the cases: marks that lie on one another hide how many.
    for (std::size_t i = 0; i < times.errors.size(); ++i) {
      const auto share = (static_cast<double>(i) + 0.5) / static_cast<double>(times.errors.size());
      series.x.push_back(static_cast<double>(place) + 0.7 * (share - 0.5));
    }
    panel.series.push_back(std::move(series));
    panel.categories.push_back(times.strategy);
  }
  return panel;
}

std::string title_of(const Validation& validation) {
  const CaseValidation& first = validation.cases.front();
  const Record& simulated = first.simulated;
  const std::string runs = validation.repetitions == 1
                               ? std::string("1 run")
                               : fmt::format("{} runs", validation.repetitions);
  const std::string machine = simulated.machine.empty() ? "a machine" : simulated.machine;
  return fmt::format(
      "{}: {} a case ({}) against a simulation of {}, {}", first.scenario_case.scenario.name, runs,
      first.run.kernel_set, machine,
      simulated.uncalibrated.empty() ? "calibrated" : "uncalibrated: " + simulated.uncalibrated);
}

}  // namespace

Figure accuracy_of_forecast(const Validation& validation) {
  const std::vector<Times> all = times_of(validation);
  if (all.empty()) return {"accuracy", "", {}};
  return {
      "accuracy", title_of(validation), {predicted_against_measured(all), errors_by_strategy(all)}};
}

}  // namespace foretrain
