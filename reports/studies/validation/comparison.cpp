// Selects the figures of a record that are compared.
#include "reports/studies/validation/comparison.h"

#include "models/base/check.h"
#include "reports/record/forecast_range.h"
#include "reports/record/statistics.h"
#include "reports/record/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

struct Figures {
  const Record& record;
  Summary summary;
};

struct Metric {
  const char* name;
  std::optional<double> (*of)(const Figures&);
};

/// Mean time of a phase per step.
std::optional<double> mean_ms(const Figures& f, const Phase<double>& phase) {
  if (f.summary.steps == 0) return std::nullopt;
  return f.summary.phases.*phase.of * 1e3 / static_cast<double>(f.summary.steps);
}

template <std::optional<double> Summary::*Figure>
std::optional<double> summary_value(const Figures& f) {
  return f.summary.*Figure;
}

std::optional<double> messages_sent(const Figures& f) {
  std::int64_t sent = 0;
  for (const NodeTotals& node : f.record.nodes) sent += node.messages_sent;
  return static_cast<double>(sent);
}

std::optional<double> time_to_target_s(const Figures& f) {
  return interpolated_time_to_target_s(f.record, EvaluationTime::counted);
}

constexpr auto kMetrics = std::to_array<Metric>({
    {"step_time_ms",
     [](const Figures& f) {
       const auto step_s = f.summary.step_time_s_median;
       return step_s ? std::optional(*step_s * 1e3) : std::nullopt;
     }},
    {"time_s", [](const Figures& f) { return std::optional(f.summary.time_s); }},
    {"updates_per_s", summary_value<&Summary::updates_per_s>},
    {"gradients_per_s", summary_value<&Summary::gradients_per_s>},
    {"examples_per_s", summary_value<&Summary::examples_per_s>},
    {"time_to_target_s", time_to_target_s},
    {"staleness_mean", summary_value<&Summary::staleness_mean>},
    {"test_accuracy", summary_value<&Summary::test_accuracy>},
    {"final_loss", summary_value<&Summary::final_loss>},
    {"bytes_sent",
     [](const Figures& f) {
       return std::optional(static_cast<double>(f.summary.bytes_sent.value));
     }},
    {"messages_sent", messages_sent},
});

struct NodeMetric {
  const char* name;
  std::optional<double> (*of)(const Record&, const NodeTotals&);
};

constexpr auto kNodeMetrics = std::to_array<NodeMetric>({
    {"cpu_percent", cpu_percent},
    {"rss_bytes", [](const Record&, const NodeTotals& node) { return resident_bytes(node); }},
});

std::optional<double> relative_error(double measured, double predicted) {
  if (predicted == measured) return 0;
  if (measured == 0) return std::nullopt;
  return predicted / measured - 1;
}

/// The metric of the node with this role; empty if it is not known.
std::optional<double> figure_of(const Record& record, const std::string& role,
                                const NodeMetric& metric) {
  const auto node = std::ranges::find(record.nodes, role, &NodeTotals::role);
  return node == record.nodes.end() ? std::nullopt : metric.of(record, *node);
}

void compare_nodes(const std::vector<Record>& runs, const Record& simulated,
                   std::vector<Comparison>& comparisons) {
  for (const NodeMetric& metric : kNodeMetrics) {
    for (const NodeTotals& node : simulated.nodes) {
      const auto predicted = metric.of(simulated, node);
      std::vector<double> values;
      for (const Record& run : runs) {
        if (const auto value = figure_of(run, node.role, metric)) values.push_back(*value);
      }
      if (!predicted || values.size() < runs.size()) continue;
      comparisons.push_back(compared(metric.name, node.role, values, *predicted));
    }
  }
}

}  // namespace

Comparison compared(std::string metric, std::string node, const std::vector<double>& values,
                    double predicted) {
  FT_CHECK(!values.empty());
  Comparison c;
  c.metric = std::move(metric);
  c.node = std::move(node);
  c.measured = median(values).value();
  c.q1 = quantile(values, 0.25).value();
  c.q3 = quantile(values, 0.75).value();
  c.spread = relative_spread(values);
  c.predicted = c.predicted_low = c.predicted_high = predicted;
  c.error = relative_error(c.measured, predicted);
  c.difference = predicted - c.measured;
  c.exact = std::ranges::all_of(values, [&](double value) { return value == predicted; });
  return c;
}

std::vector<Comparison> compare(const std::vector<Record>& runs, const Record& simulated) {
  FT_CHECK(!runs.empty());
  std::vector<Figures> measured;
  measured.reserve(runs.size());
  for (const Record& run : runs) measured.push_back({run, summarize(run)});
  const Figures forecast{simulated, summarize(simulated)};
  std::vector<Comparison> comparisons;
  const auto add = [&](std::string name, const auto& of) {
    std::vector<double> values;
    for (const Figures& figures : measured) {
      if (const auto value = of(figures)) values.push_back(*value);
    }
    const auto predicted = of(forecast);
    if (!predicted || values.size() < runs.size()) return;
    comparisons.push_back(compared(std::move(name), "", values, *predicted));
  };
  for (const Metric& metric : kMetrics) add(metric.name, metric.of);
  for (const Phase<double>& phase : kPhases<double>) {
    add(fmt::format("{}_ms", phase.name), [&](const Figures& f) { return mean_ms(f, phase); });
  }
  compare_nodes(runs, simulated, comparisons);
  return comparisons;
}

std::optional<bool> Comparison::in_range() const {
  if (predicted_low >= predicted_high) return std::nullopt;
  return predicted_low <= measured && measured <= predicted_high;
}

std::optional<double> Comparison::compute_error() const {
  if (!error || !protocol_error) return std::nullopt;
  return *error - *protocol_error;
}

void add_ranges(const Record& simulated, std::vector<Comparison>& comparisons) {
  const ForecastRange range = forecast_range(simulated);
  for (Comparison& c : comparisons) {
    if (!c.node.empty()) continue;
    if (c.metric.ends_with("_per_s")) {
      c.predicted_low = c.predicted / range.high;
      c.predicted_high = c.predicted / range.low;
    } else if (c.metric.ends_with("_ms") || c.metric == "time_s" ||
               c.metric == "time_to_target_s") {
      c.predicted_low = c.predicted * range.low;
      c.predicted_high = c.predicted * range.high;
    }
  }
}

void compare_again(const Record& run, const Record& simulated,
                   std::optional<double> Comparison::*error, std::vector<Comparison>& comparisons) {
  for (const Comparison& own : compare({run}, simulated)) {
    const auto same = std::ranges::find_if(comparisons, [&](const Comparison& c) {
      return c.metric == own.metric && c.node == own.node;
    });
    if (same != comparisons.end()) (*same).*error = own.error;
  }
}

std::optional<double> deviation(const Comparison& comparison) {
  if (comparison.metric == "cpu_percent") return std::abs(comparison.difference);
  return comparison.error ? std::optional(std::abs(*comparison.error)) : std::nullopt;
}

}  // namespace foretrain
