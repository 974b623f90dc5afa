// The figure of a validation.
#include "reports/record/json_object.h"
#include "reports/record/statistics.h"
#include "reports/show/figures/of_studies.h"
#include "reports/studies/validation/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace foretrain {
namespace {

constexpr double kLineGap = 1.25;  // factor from the outermost points to the ends of the diagonal

/// The step times of a strategy.
struct Times {
  std::string strategy;
  std::vector<double> measured_ms;
  std::vector<double> predicted_ms;
  std::vector<double> errors;  // per cent
  std::vector<std::string> titles;
};

std::vector<Times> times_of(const JsonObject& validation) {
  std::vector<Times> all;
  for (const JsonObject& row : validation.objects("cases")) {
    if (row.text("metric") != "step_time_ms") continue;
    const double measured = row.known_number("measured").value_or(0);
    const double predicted = row.known_number("predicted").value_or(0);
    if (measured <= 0 || predicted <= 0) continue;  // no place on a logarithmic axis
    auto times = std::ranges::find(all, row.text("strategy"), &Times::strategy);
    if (times == all.end()) {
      all.push_back({row.text("strategy"), {}, {}, {}, {}});
      times = all.end() - 1;
    }
    times->measured_ms.push_back(measured);
    times->predicted_ms.push_back(predicted);
    times->errors.push_back((predicted / measured - 1) * 100);
    times->titles.push_back(case_title(row));
  }
  return all;
}

constexpr double kLeastError = 0.5;  // per cent; smaller errors count as none

/// The strategy with the largest median error: `async forecast 8 % too fast in the median of 12
/// cases`.
std::string accuracy_finding(const std::vector<Times>& all) {
  const Times* furthest = nullptr;
  double error = 0;
  for (const Times& times : all) {
    const double middle = median(times.errors).value_or(0);
    if (furthest != nullptr && std::abs(middle) <= std::abs(error)) continue;
    furthest = &times;
    error = middle;
  }
  if (furthest == nullptr) return {};
  const std::size_t cases = furthest->errors.size();
  const std::string over =
      cases == 1 ? std::string("in its case") : fmt::format("in the median of {} cases", cases);
  if (std::abs(error) < kLeastError) {
    return all.size() == 1
               ? fmt::format("{} forecast as measured {}", furthest->strategy, over)
               : fmt::format("all {} strategies forecast as measured in the median", all.size());
  }
  return fmt::format("{} forecast {:.0f} % too {} {}{}", furthest->strategy, std::abs(error),
                     error < 0 ? "fast" : "slow", over,
                     all.size() == 1 ? "" : fmt::format(", the largest error of {}", all.size()));
}

/// The line on which `predicted` is `factor` times `measured`.
Series line_at(double factor, const char* title, double from, double to) {
  return {title, {from, to}, {factor * from, factor * to}, true, 0, Mark::guide};
}

Panel predicted_against_measured(const std::vector<Times>& all) {
  Panel panel{"step time", "measured [ms]", "predicted [ms]", {}, {}, Logarithmic::both};
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
    panel.series.push_back({times.strategy,
                            times.measured_ms,
                            times.predicted_ms,
                            false,
                            colour,
                            Mark::points,
                            {},
                            {},
                            times.titles});
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
    // Side by side in the order of the cases, since points that overlap could not be counted.
    for (std::size_t i = 0; i < times.errors.size(); ++i) {
      const auto share = (static_cast<double>(i) + 0.5) / static_cast<double>(times.errors.size());
      series.x.push_back(static_cast<double>(place) + 0.7 * (share - 0.5));
    }
    series.names = times.titles;
    panel.series.push_back(std::move(series));
    panel.categories.push_back(times.strategy);
  }
  return panel;
}

}  // namespace

Figure accuracy_of_forecast(const JsonObject& validation) {
  // Older validations have no scenario.
  Figure figure{"accuracy",
                validation.has("scenario") ? validation.text("scenario") : "validation",
                {},
                validation.known_text("source")};
  const std::vector<Times> all = times_of(validation);
  if (all.empty()) return figure;
  figure.title += ": " + accuracy_finding(all);
  figure.panels = {predicted_against_measured(all), errors_by_strategy(all)};
  return figure;
}

}  // namespace foretrain
