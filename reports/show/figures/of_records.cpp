#include "reports/show/figures/of_records.h"

#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/figures/axes.h"
#include "reports/show/figures/downsample.h"
#include "reports/studies/trainings/trainings_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace foretrain {
namespace {

/// Progress of a training at an evaluation: time or steps.
using Reach = double (*)(const EvalReport&);

/// A panel with one figure of the evaluations of all records over their progress.
Panel curve_panel(const std::vector<Record>& records, std::string_view x_label, Reach reach,
                  std::string title, std::string y_label, double EvalReport::*figure) {
  const Legend legend = legend_of(records);
  Panel panel{std::move(title), std::string(x_label), std::move(y_label), {}, {}};
  for (std::size_t i = 0; i < records.size(); ++i) {
    Series series{legend.titles[i], {}, {}, records[i].mode == Mode::simulate, legend.colours[i]};
    for (const EvalReport& e : records[i].evals) {
      series.x.push_back(reach(e));
      series.y.push_back(e.*figure);
    }
    const auto known = [](double y) { return std::isfinite(y); };
    if (!std::ranges::any_of(series.y, known)) continue;
    panel.series.push_back(thinned(std::move(series), kMostPoints));
  }
  return panel;
}

/// The best final accuracy, or the common one; empty if there is none.
std::string learning_finding(const std::vector<Record>& records) {
  const Legend legend = legend_of(records);
  std::optional<std::size_t> best;
  double most = 0;
  bool all_alike = true;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto accuracy = summarize(records[i]).test_accuracy;
    if (!accuracy) continue;
    all_alike = all_alike && (!best || *accuracy == most);
    if (best && *accuracy <= most) continue;
    best = i;
    most = *accuracy;
  }
  if (!best) return {};
  const std::string time = figure(records[*best].time.seconds());
  if (records.size() == 1) return fmt::format(", accuracy {:.4f} after {} s", most, time);
  if (all_alike) return fmt::format(", all reach accuracy {:.4f}", most);
  return fmt::format(", {} has the best final accuracy, {:.4f} after {} s", legend.titles[*best],
                     most, time);
}

/// Panels of loss and accuracy, side by side.
Figure curves(const std::vector<Record>& records, const char* name, const char* against,
              std::string_view x_label, Reach reach) {
  Figure figure{name,
                fmt::format("{}: learning against {}{}", names_of(records), against,
                            learning_finding(records)),
                {},
                source_of(records)};
  std::array panels{
      curve_panel(records, x_label, reach, "test loss", "loss [nats]", &EvalReport::loss),
      curve_panel(records, x_label, reach, "test accuracy", "accuracy [share of the examples]",
                  &EvalReport::accuracy)};
  for (Panel& panel : panels) {
    if (panel.series.empty()) continue;
    spread_outliers(panel);
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

/// The largest layer of the bars with its range of shares: `compute takes 40 to 95 % of the mean
/// step`.
std::string largest_phase(const Panel& bars) {
  std::vector<double> whole(bars.categories.size());
  for (const Series& layer : bars.series) {
    for (std::size_t i = 0; i < layer.y.size(); ++i) whole[i] += layer.y[i];
  }
  const auto shares = [&](const Series& layer) {
    std::vector<double> all;
    for (std::size_t i = 0; i < layer.y.size(); ++i) {
      all.push_back(whole[i] > 0 ? 100 * layer.y[i] / whole[i] : 0);
    }
    return all;
  };
  const auto sum = [&](const Series& layer) {
    const std::vector<double> all = shares(layer);
    return std::reduce(all.begin(), all.end());
  };
  const auto largest = std::ranges::max_element(bars.series, {}, sum);
  if (largest == bars.series.end() || sum(*largest) <= 0) return "phases of the mean step";
  const auto [low, high] = std::ranges::minmax(shares(*largest));
  const std::string range =
      high - low < 1 ? fmt::format("{:.0f} %", high) : fmt::format("{:.0f} to {:.0f} %", low, high);
  return fmt::format("{} takes {} of the mean step", largest->title, range);
}

}  // namespace

Legend legend_of(const std::vector<Record>& records) {
  Legend legend;
  std::map<std::string, int> colours;
  const std::vector<std::string> names = names_among(records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto colour = colours.emplace(names[i], static_cast<int>(colours.size())).first;
    legend.colours.push_back(colour->second);
    legend.titles.push_back(names[i] + (records[i].mode == Mode::run ? " run" : " simulated"));
  }
  return legend;
}

std::string names_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const Record& record : records) {
    const std::string& name = record.scenario_case.scenario.name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Figure learning_curves(const std::vector<Record>& records) {
  return curves(records, "learning_curves", "time", "time [s]",
                [](const EvalReport& e) { return e.time.seconds(); });
}

Figure learning_by_step(const std::vector<Record>& records) {
  return curves(records, "learning_by_step", "steps", "steps of worker 0",
                [](const EvalReport& e) { return static_cast<double>(e.step.value); });
}

Figure phase_bars(const std::vector<Record>& records) {
  const Legend legend = legend_of(records);
  Panel panel{"mean step, evaluation included", "", "time [ms]", {}, {}};
  for (const auto& [name, of] : kPhases<double>) {
    const auto colour = static_cast<int>(panel.series.size());
    panel.series.push_back({std::string(name), {}, {}, false, colour});
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Summary summary = summarize(records[i]);
    if (summary.steps == 0) continue;
    for (std::size_t layer = 0; layer < panel.series.size(); ++layer) {
      const double phase_s = summary.phases.*kPhases<double>[layer].of;
      panel.series[layer].x.push_back(static_cast<double>(panel.categories.size()));
      panel.series[layer].y.push_back(phase_s * 1e3 / static_cast<double>(summary.steps));
    }
    panel.categories.push_back(legend.titles[i]);
  }
  Figure figure{"phases", names_of(records) + ": " + largest_phase(panel), {}, source_of(records)};
  if (!panel.categories.empty()) figure.panels.push_back(std::move(panel));
  return figure;
}

std::string draw_all(const std::vector<Record>& records, const std::filesystem::path& folder) {
  std::string lines;
  for (const Figure& figure : {learning_curves(records), phase_bars(records)}) {
    if (!figure.panels.empty()) {
      lines += fmt::format("figure:  {}\n", draw(figure, folder).string());
    }
  }
  return lines;
}

}  // namespace foretrain
