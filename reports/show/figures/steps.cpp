// Figures over the steps: loss, time, staleness.
#include "reports/record/downsampled.h"
#include "reports/record/source.h"
#include "reports/record/statistics.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/figures/axes.h"
#include "reports/show/figures/downsample.h"
#include "reports/show/figures/of_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr std::int64_t kMostColumns = 40;  // of the histogram
constexpr double kColumnsShare = 0.8;      // as a share of the distance between them

double step_ms(const StepRow& row) {
  const Phases& phases = row.report.phases;
  return (length_of(phases) - phases.evaluate).seconds() * 1e3;
}

/// Rows sorted by step, then worker; their order of completion does not matter.
std::vector<const StepRow*> by_step(const std::vector<StepRow>& steps) {
  std::vector<const StepRow*> rows;
  rows.reserve(steps.size());
  for (const StepRow& row : steps) rows.push_back(&row);
  std::ranges::sort(
      rows, {}, [](const StepRow* row) { return std::pair(row->report.step.value, row->worker); });
  return rows;
}

/// A function that returns a figure of a step.
using OfStep = double (*)(const StepRow&);

double batch_loss(const StepRow& row) { return row.report.loss; }

/// Adds a trace of those `rows` (sorted by step) that `is_wanted` selects, if any has the figure.
void add_trace(Panel& panel, Series series, const std::vector<const StepRow*>& rows, OfStep of,
               const auto& is_wanted) {
  for (const StepRow* row : rows) {
    if (!is_wanted(*row)) continue;
    series.x.push_back(static_cast<double>(row->report.step.value));
    series.y.push_back(of(*row));
  }
  const auto known = [](double y) { return std::isfinite(y); };
  if (!std::ranges::any_of(series.y, known)) return;
  panel.series.push_back(thinned(std::move(series), kMostPoints));
}

/// A panel with a figure of all steps: a trace for each record, with all its workers.
Panel trace_panel(const std::vector<Record>& records, std::string title, std::string y_label,
                  OfStep of) {
  const Legend legend = legend_of(records);
  Panel panel{std::move(title), "step", std::move(y_label), {}, {}};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool dashed = records[i].mode == Mode::simulate;
    add_trace(panel, {legend.titles[i], {}, {}, dashed, legend.colours[i], Mark::trace},
              by_step(records[i].steps), of, [](const StepRow&) { return true; });
  }
  return panel;
}

/// The same with a trace for each worker.
Panel worker_panel(const Record& record, int workers, std::string title, std::string y_label,
                   OfStep of) {
  Panel panel{std::move(title), "step", std::move(y_label), {}, {}};
  const bool dashed = record.mode == Mode::simulate;
  const std::vector<const StepRow*> rows = by_step(record.steps);
  for (int worker = 0; worker < workers; ++worker) {
    add_trace(panel, {fmt::format("worker{}", worker), {}, {}, dashed, worker, Mark::trace}, rows,
              of, [&](const StepRow& row) { return row.worker == worker; });
  }
  return panel;
}

/// Adds the times above the losses, with a common axis.
void add_step_panels(Figure& figure, Panel times, Panel losses) {
  times.from_zero = true;
  for (Panel* panel : {&times, &losses}) {
    if (panel->series.empty()) continue;
    spread_outliers(*panel);
    figure.panels.push_back(std::move(*panel));
  }
}

int workers_in(const Record& record) {
  int workers = 0;
  for (const StepRow& row : record.steps) workers = std::max(workers, row.worker + 1);
  return workers;
}

constexpr const char* kTimesTitle = "time of each step, without evaluation";
constexpr const char* kLossesTitle = "loss of each batch";

/// The slowest worker's median step time with that of the fastest: `, worker3 is slowest, 40 ms in
/// the median, the fastest 10 ms`.
std::string slowest_worker(const Record& record, int workers) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(workers));
  for (const StepRow& row : record.steps) {
    times[static_cast<std::size_t>(row.worker)].push_back(step_ms(row));
  }
  std::size_t slowest = 0;
  std::vector<double> medians;
  medians.reserve(times.size());
  for (auto& each : times) {
    medians.push_back(median(std::move(each)).value_or(0));
    if (medians.back() > medians[slowest]) slowest = medians.size() - 1;
  }
  const double least = *std::ranges::min_element(medians);
  if (medians[slowest] == least) return fmt::format(", {} ms in the median", figure(least));
  return fmt::format(", worker{} is slowest, {} ms in the median, the fastest {} ms", slowest,
                     figure(medians[slowest]), figure(least));
}

/// `, the longest 787 ms, of async run`
std::string longest_step(const std::vector<Record>& records) {
  const Legend legend = legend_of(records);
  double most = 0;
  std::size_t of = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const StepRow& row : records[i].steps) {
      if (step_ms(row) <= most) continue;
      most = step_ms(row);
      of = i;
    }
  }
  return most > 0 ? fmt::format(", the longest {} ms, of {}", figure(most), legend.titles[of])
                  : std::string();
}

std::int64_t most_staleness(const Record& record) {
  std::int64_t most = 0;
  for (const StepRow& row : record.steps) most = std::max(most, row.report.staleness);
  return most;
}

}  // namespace

Figure steps_by_worker(const Record& record, const std::string& name) {
  constexpr int kMostTraces = 7;  // the number of colours
  const int workers = workers_in(record);
  Figure figure{name,
                fmt::format("{}: {}, step by step", record.scenario_case.scenario.name,
                            title_of(record.scenario_case)),
                {},
                source_of(record),
                true};
  if (workers < 2 || workers > kMostTraces) return figure;
  figure.title += slowest_worker(record, workers);
  add_step_panels(figure, worker_panel(record, workers, kTimesTitle, "time [ms]", step_ms),
                  worker_panel(record, workers, kLossesTitle, "loss [nats]", batch_loss));
  return figure;
}

Figure step_by_step(const std::vector<Record>& records) {
  constexpr const char* kName = "step_by_step";
  if (records.size() == 1) {
    Figure by_worker = steps_by_worker(records.front(), kName);
    if (!by_worker.panels.empty()) return by_worker;
  }
  Figure figure{kName,
                names_of(records) + ": step by step" + longest_step(records),
                {},
                source_of(records),
                true};
  add_step_panels(figure, trace_panel(records, kTimesTitle, "time [ms]", step_ms),
                  trace_panel(records, kLossesTitle, "loss [nats]", batch_loss));
  return figure;
}

Figure staleness_histogram(const std::vector<Record>& records) {
  std::int64_t most = 0;
  int late = 0;  // records with any staleness
  for (const Record& record : records) {
    const std::int64_t staleness = most_staleness(record);
    most = std::max(most, staleness);
    late += staleness > 0 ? 1 : 0;
  }
  Figure figure{"staleness",
                fmt::format("{}: staleness of the gradients, {} at most", names_of(records), most),
                {},
                source_of(records)};
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
      // A column of width 1 is centred on its integer.
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
