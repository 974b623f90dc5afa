// The figures that this program knows, made from records.
#include "reports/figures/figure.h"
#include "reports/record/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace foretrain {
namespace {

/// How each record is called and coloured among the others.
struct Legend {
  std::vector<std::string> titles;  ///< `sync run`, `sync simulated`
  std::vector<int> colours;         ///< one a case
};

Legend legend_of(const std::vector<Record>& records) {
  std::set<std::string> scenarios;
  for (const Record& record : records) scenarios.insert(record.scenario_case.scenario.name);
  Legend legend;
  std::map<std::string, int> colours;
  for (const Record& record : records) {
    std::string name = title_of(record.scenario_case);
    if (scenarios.size() > 1) name.insert(0, record.scenario_case.scenario.name + ": ");
    const auto colour = colours.emplace(name, static_cast<int>(colours.size())).first;
    legend.colours.push_back(colour->second);
    legend.titles.push_back(name + (record.mode == Mode::run ? " run" : " simulated"));
  }
  return legend;
}

/// One figure of the evaluations of all records against time.
Panel curve_panel(const std::vector<Record>& records, const Legend& legend, std::string title,
                  std::string y_label, double EvalReport::*figure) {
  Panel panel{std::move(title), "time [s]", std::move(y_label), {}, {}};
  for (std::size_t i = 0; i < records.size(); ++i) {
    Series series{legend.titles[i], {}, {}, records[i].mode == Mode::simulate, legend.colours[i]};
    for (const EvalReport& e : records[i].evals) {
      series.x.push_back(e.time.seconds());
      series.y.push_back(e.*figure);
    }
    const auto known = [](double y) { return std::isfinite(y); };
    if (std::ranges::any_of(series.y, known)) panel.series.push_back(std::move(series));
  }
  return panel;
}

/// The scenarios that the records are of, in their order.
std::string names_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const Record& record : records) {
    const std::string& name = record.scenario_case.scenario.name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Figure learning_curves(const std::vector<Record>& records) {
  const Legend legend = legend_of(records);
  Figure figure{"learning_curves", names_of(records), {}};
  std::array panels{
      curve_panel(records, legend, "test loss", "loss [nats]", &EvalReport::loss),
      curve_panel(records, legend, "test accuracy", "accuracy", &EvalReport::accuracy)};
  for (Panel& panel : panels) {
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

Figure phase_bars(const std::vector<Record>& records) {
  constexpr auto kPhases = std::to_array<std::pair<const char*, double PhaseSeconds::*>>(
      {{"compute", &PhaseSeconds::compute_s},
       {"push", &PhaseSeconds::push_s},
       {"wait", &PhaseSeconds::wait_s},
       {"apply", &PhaseSeconds::apply_s},
       {"pull", &PhaseSeconds::pull_s},
       {"evaluate", &PhaseSeconds::evaluate_s}});
  const Legend legend = legend_of(records);
  Panel panel{"mean step", "", "time [ms]", {}, {}};
  for (const auto& [name, member] : kPhases) {
    panel.series.push_back({name, {}, {}, false, static_cast<int>(panel.series.size())});
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].steps.empty()) continue;
    const Summary summary = summarize(records[i]);
    for (std::size_t layer = 0; layer < kPhases.size(); ++layer) {
      const double phase_s = summary.phases.*kPhases[layer].second;
      panel.series[layer].x.push_back(static_cast<double>(panel.categories.size()));
      panel.series[layer].y.push_back(phase_s * 1e3 / static_cast<double>(summary.steps));
    }
    panel.categories.push_back(legend.titles[i]);
  }
  Figure figure{"phases", names_of(records), {}};
  if (!panel.categories.empty()) figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace foretrain
