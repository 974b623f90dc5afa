#include "reports/serve/scaling_table.h"

#include "models/protocol/registry.h"
#include "reports/record/caveats.h"
#include "reports/studies/budget/first_steps.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/prepared.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double kMinute = 60;
constexpr double kHour = 3600;

/// A readable unit for the longest time.
struct TimeUnit {
  const char* name;
  double seconds;
};

TimeUnit unit_of(double longest_s) {
  constexpr double kMany = 2;
  if (longest_s > kMany * kHour) return {"h", kHour};
  return longest_s > kMany * kMinute ? TimeUnit{"min", kMinute} : TimeUnit{"s", 1};
}

/// A figure over workers with a line per strategy that has values.
Panel panel_of(const std::vector<ScalingPoint>& points, const std::string& title,
               const std::string& y_label, std::optional<double> ScalingPoint::*figure,
               double unit) {
  Panel panel{title, "workers", y_label, {}, {}, Logarithmic::both};
  int colour = 0;
  for (const Protocol& protocol : protocols()) {
    Series series{std::string(protocol.name), {}, {}, true, colour++};
    for (const ScalingPoint& point : points) {
      if (point.strategy != protocol.name || !(point.*figure)) continue;
      series.x.push_back(point.workers);
      series.y.push_back(*(point.*figure) / unit);
      series.names.push_back(fmt::format("{} workers, limited by {}{}{}", point.workers,
                                         point.limit, point.uneven_share.empty() ? "" : "; ",
                                         point.uneven_share));
    }
    if (series.x.size() > panel.x_ticks.size()) panel.x_ticks = series.x;
    if (series.x.size() == 1) series.mark = Mark::points;
    if (!series.x.empty()) panel.series.push_back(std::move(series));
  }
  return panel;
}

Json way_figure(std::optional<double> value) { return value ? Json(*value) : Json(); }

}  // namespace

std::vector<ScalingPoint> scaling_points_of(const Case& base) {
  constexpr int kFewest = 16;
  constexpr int kMost = 64;
  const int shown = node_counts(base.scenario).workers;
  std::vector<ScalingPoint> points;
  for (const int workers : host_counts(std::clamp(2 * shown, kFewest, kMost))) {
    for (const Protocol& protocol : protocols()) {
      if (workers > 1 && !protocol.several_workers) continue;
      points.push_back({std::string(protocol.name), workers});
    }
  }
  return points;
}

bool forecast_scaling_point(ScalingPoint& point, const Case& base, double examples,
                            const Forecaster& forecaster, DataSets& data_sets,
                            const ForecastWatch& watch) {
  Case changed = base;
  Scenario& scenario = changed.scenario;
  try {
    point.why_not = forecaster.vary(scenario, point.strategy, point.workers);
    if (!point.why_not.empty()) return true;
    keep_examples(scenario, base.scenario, examples);
    const std::int64_t steps = scenario.training.steps;
    scenario.training.steps = std::min<std::int64_t>(steps, kBudgetSteps);
    scenario.training.evaluate_every = 0;
    scenario.checkpoint.every = {};
    const Price price = price_per_hour(prepare(changed, Need::shape, data_sets));
    const auto late = Clock::now() + std::chrono::duration<double>(kWayPatience_s);
    const Forecast forecast = forecaster.forecast(
        changed, {[&] { return watch.dropped() || Clock::now() > late; }, watch.progress});
    if (forecast.record.outcome == Outcome::interrupted && watch.dropped()) return false;
    point.why_not = forecast.record.failure;
    if (forecast.record.outcome == Outcome::interrupted)
      point.why_not = "takes too long to simulate";
    if (forecast.record.outcome != Outcome::done) return true;
    point.time_s = whole_time_s(forecast.record, steps * node_counts(scenario).workers);
    point.limit = forecast.limit.resource;
    point.uneven_share = uneven_share(forecast.record);
    if (price.per_hour > 0) point.cost = price.per_hour * *point.time_s / kHour;
    point.currency = price.currency;
  } catch (const InputError& error) {
    point.why_not = error.what();
  }
  return true;
}

Json to_json(const std::vector<ScalingPoint>& points) {
  Json json = Json::array();
  for (const ScalingPoint& point : points) {
    json.push_back({{"strategy", point.strategy},
                    {"workers", point.workers},
                    {"time_s", way_figure(point.time_s)},
                    {"cost", way_figure(point.cost)},
                    {"currency", point.currency},
                    {"limit", point.limit},
                    {"uneven_share", point.uneven_share},
                    {"why_not", point.why_not}});
  }
  return json;
}

Figure scaling_figure(const std::vector<ScalingPoint>& points) {
  double longest_s = 0;
  for (const ScalingPoint& point : points)
    longest_s = std::max(longest_s, point.time_s.value_or(0));
  const TimeUnit unit = unit_of(longest_s);
  Figure figure{"ways", "time against workers, by strategy", {}};
  Panel time = panel_of(points, "time", fmt::format("time [{}]", unit.name), &ScalingPoint::time_s,
                        unit.seconds);
  const std::string currency = points.empty() ? std::string() : points.front().currency;
  const std::string money = currency.empty() ? "cost" : fmt::format("cost [{}]", currency);
  Panel cost = panel_of(points, "cost", money, &ScalingPoint::cost, 1);
  if (!cost.series.empty()) figure.title = "time and cost against workers, by strategy";
  for (Panel* panel : {&time, &cost}) {
    if (!panel->series.empty()) figure.panels.push_back(std::move(*panel));
  }
  return figure;
}

}  // namespace foretrain::serve
