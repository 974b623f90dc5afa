// Figures of what grows with the steps: loss, time, staleness of each.
#include "reports/record/shown.h"
#include "reports/record/source.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/figures/thin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace foretrain {
namespace {

constexpr std::int64_t kMostColumns = 40;  // of the histogram
constexpr double kColumnsShare = 0.8;      // of the distance between them

double step_ms(const StepRow& row) {
  const Phases& phases = row.report.phases;
  return (length_of(phases) - phases.evaluate).seconds() * 1e3;
}

/// Rows by step, then worker: in what order they ended says nothing about the number of the step.
std::vector<std::size_t> by_step(const std::vector<StepRow>& steps) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::pair(steps[i].report.step.value, steps[i].worker);
  });
  return order;
}

/// A figure of every step of every worker, a trace a record.
Panel trace_panel(const std::vector<Record>& records, std::string title, std::string y_label,
                  double (*figure)(const StepRow&)) {
  const Legend legend = legend_of(records);
  Panel panel{std::move(title), "step", std::move(y_label), {}, {}};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::vector<StepRow>& steps = records[i].steps;
    Series series{legend.titles[i],  {},         {}, records[i].mode == Mode::simulate,
                  legend.colours[i], Mark::trace};
    series.x.reserve(steps.size());
    series.y.reserve(steps.size());
    for (const std::size_t row : by_step(steps)) {
      series.x.push_back(static_cast<double>(steps[row].report.step.value));
      series.y.push_back(figure(steps[row]));
    }
    const auto known = [](double y) { return std::isfinite(y); };
    if (!std::ranges::any_of(series.y, known)) continue;
    panel.series.push_back(thinned(std::move(series), kMostPoints));
  }
  return panel;
}

std::int64_t most_staleness(const Record& record) {
  std::int64_t most = 0;
  for (const StepRow& row : record.steps) most = std::max(most, row.report.staleness);
  return most;
}

}  // namespace

Figure step_by_step(const std::vector<Record>& records) {
  Figure figure{"step_by_step", names_of(records) + ": step by step", {}, source_of(records), true};
  for (Panel& panel : std::vector{
           trace_panel(records, "time of each step, evaluation left out", "time [ms]", step_ms),
           trace_panel(records, "loss of each batch", "loss [nats]",
                       [](const StepRow& row) { return row.report.loss; })}) {
    panel.from_zero = figure.panels.empty();  // of times
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

Figure staleness_histogram(const std::vector<Record>& records) {
  Figure figure{
      "staleness", names_of(records) + ": staleness of the gradients", {}, source_of(records)};
  std::int64_t most = 0;
  int late = 0;  // records with a gradient that was
  for (const Record& record : records) {
    const std::int64_t staleness = most_staleness(record);
    most = std::max(most, staleness);
    late += staleness > 0 ? 1 : 0;
  }
  if (most == 0) return figure;
  const Legend legend = legend_of(records);
  const std::int64_t width = most / kMostColumns + 1;
  Panel panel{
      "staleness of the gradients", "staleness [updates]", "share of the steps [%]", {}, {}};
  const double column = kColumnsShare * static_cast<double>(width) / late;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::vector<StepRow>& steps = records[i].steps;
    if (most_staleness(records[i]) == 0) continue;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(most / width) + 1);
    for (const StepRow& row : steps) {
      const std::int64_t staleness = std::max<std::int64_t>(0, row.report.staleness);
      ++counts[static_cast<std::size_t>(staleness / width)];
    }
    Series series{legend.titles[i],  {},          {}, records[i].mode == Mode::simulate,
                  legend.colours[i], Mark::column};
    const auto place = static_cast<double>(panel.series.size());
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      // Around the figures that are counted: a column of width 1 stands around a whole number.
      const double begin = static_cast<double>(bin) * static_cast<double>(width) - 0.5 +
                           static_cast<double>(width) * (1 - kColumnsShare) / 2 + place * column;
      series.x.push_back(begin);
      series.x_end.push_back(begin + column);
      series.y.push_back(100.0 * static_cast<double>(counts[bin]) /
                         static_cast<double>(steps.size()));
      const std::int64_t first = static_cast<std::int64_t>(bin) * width;
      series.names.push_back(width == 1 ? fmt::format("{}", first)
                                        : fmt::format("{} to {}", first, first + width - 1));
    }
    panel.series.push_back(std::move(series));
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace foretrain
