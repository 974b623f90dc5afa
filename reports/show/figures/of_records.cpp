#include "reports/show/figures/of_records.h"

#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/show/figures/thin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace foretrain {
namespace {

/// How far a training was at an evaluation.
using Reach = double (*)(const EvalReport&);

/// One figure of the evaluations of all records against what `reach` says of how far they were.
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

/// Loss, accuracy side by side.
Figure curves(const std::vector<Record>& records, const char* name, const char* against,
              std::string_view x_label, Reach reach) {
  Figure figure{name,
                fmt::format("{}: learning against {}", names_of(records), against),
                {},
                source_of(records)};
  std::array panels{
      curve_panel(records, x_label, reach, "test loss", "loss [nats]", &EvalReport::loss),
      curve_panel(records, x_label, reach, "test accuracy", "accuracy [share of the examples]",
                  &EvalReport::accuracy)};
  for (Panel& panel : panels) {
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace

Legend legend_of(const std::vector<Record>& records) {
  std::set<std::string> scenarios;
  for (const Record& record : records) scenarios.insert(record.scenario_case.scenario.name);
  Legend legend;
  std::map<std::string, int> colours;
  std::map<std::string, int> times;  // that a title was wanted
  for (const Record& record : records) {
    std::string name = title_of(record.scenario_case);
    if (scenarios.size() > 1) name.insert(0, record.scenario_case.scenario.name + ": ");
    const std::string mode = record.mode == Mode::run ? " run" : " simulated";
    const int number = ++times[name + mode];
    if (number > 1) name += fmt::format(" ({})", number);  // the same case once more
    const auto colour = colours.emplace(name, static_cast<int>(colours.size())).first;
    legend.colours.push_back(colour->second);
    legend.titles.push_back(name + mode);
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
  Panel panel{"mean step", "", "time [ms]", {}, {}};
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
  Figure figure{"phases", names_of(records) + ": phases of the mean step", {}, source_of(records)};
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
