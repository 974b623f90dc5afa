#include "reports/show/figures/of_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLineGap = 1.25;  // by which the diagonal is longer than the marks reach

/// The step times of a strategy.
struct Times {
  std::string strategy;
  std::vector<double> measured_ms;
  std::vector<double> predicted_ms;
  std::vector<double> errors;  // per cent
  std::vector<std::string> titles;
};

std::vector<Times> times_of(const Json& validation) {
  std::vector<Times> all;
  for (const ForecastCase& each : forecast_cases(validation)) {
    if (each.measured <= 0 || each.predicted <= 0) continue;  // no place on a logarithmic axis
    auto times = std::ranges::find(all, each.strategy, &Times::strategy);
    if (times == all.end()) {
      all.push_back({each.strategy, {}, {}, {}, {}});
      times = all.end() - 1;
    }
    times->measured_ms.push_back(each.measured);
    times->predicted_ms.push_back(each.predicted);
    times->errors.push_back((each.predicted / each.measured - 1) * 100);
    times->titles.push_back(each.title);
  }
  return all;
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
    // Beside each other, in the order of the cases: marks that lie on one another hide how many.
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

std::string case_title(const Json& row) {
  std::string title = row.at("strategy").get<std::string>();
  for (const auto& [key, value] : row.at("settings").items()) {
    if (key == "training.strategy") continue;
    title += fmt::format(", {}={}", key.substr(key.rfind('.') + 1), value.get<std::string>());
  }
  return title;
}

std::vector<ForecastCase> forecast_cases(const Json& validation) {
  std::vector<ForecastCase> cases;
  for (const Json& row : validation.at("cases")) {
    if (row.at("metric") != "step_time_ms") continue;
    if (!row.at("measured").is_number() || !row.at("predicted").is_number()) continue;
    ForecastCase& each = cases.emplace_back();
    each.title = case_title(row);
    each.strategy = row.at("strategy").get<std::string>();
    each.settings = row.at("settings");
    each.measured = row.at("measured").get<double>();
    each.predicted = row.at("predicted").get<double>();
    // Older validations do not take their errors apart.
    const auto known = [&](const char* key) {
      const bool there = row.contains(key) && row.at(key).is_number();
      return there ? std::optional(row.at(key).get<double>()) : std::nullopt;
    };
    each.predicted_low = known("predicted_low");
    each.predicted_high = known("predicted_high");
    if (row.contains("in_range") && row.at("in_range").is_boolean()) {
      each.in_range = row.at("in_range").get<bool>();
    }
    each.spread = known("spread");
    each.protocol_error = known("protocol_error");
    each.compute_error = known("compute_error");
  }
  return cases;
}

Figure accuracy_of_forecast(const Json& validation) {
  // Older validations do not say whose they are.
  Figure figure{
      "accuracy", validation.value("scenario", "validation"), {}, validation.value("source", "")};
  const std::vector<Times> all = times_of(validation);
  if (!all.empty()) figure.panels = {predicted_against_measured(all), errors_by_strategy(all)};
  return figure;
}

}  // namespace foretrain
