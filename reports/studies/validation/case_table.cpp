// All metrics of one case below each other.
#include "reports/record/text.h"
#include "reports/studies/validation/output.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace foretrain {
namespace {

/// How the error of a metric is told.
enum class Told { share, difference, points };

struct Row {
  std::string_view metric;
  std::string_view title;
  Told told = Told::share;
  double unit = 1;  ///< figures are told in so many of the metric's own
};

/// What people decide by; below them the phases say where a difference comes from.
constexpr auto kRows = std::to_array<Row>({
    {"step_time_ms", "step time [ms]"},
    {"time_s", "time [s]"},
    {"time_to_target_s", "time to target [s]"},
    {"updates_per_s", "updates/s"},
    {"gradients_per_s", "gradients/s"},
    {"examples_per_s", "examples/s"},
    {"staleness_mean", "staleness [updates]", Told::difference},
    {"test_accuracy", "test accuracy", Told::difference},
    {"final_loss", "final loss [nats]"},
    {"bytes_sent", "bytes sent"},
    {"messages_sent", "messages sent"},
});
/// Of the node whose forecast is worst.
constexpr auto kNodeRows = std::to_array<Row>({
    {"cpu_percent", "CPU [%]", Told::points},
    {"rss_bytes", "memory [MB]", Told::share, 1e6},
});

constexpr std::array kMetricColumns{24, -13, -13, -13, -13};

std::string error_text(const Comparison& c, Told told) {
  if (told == Told::share) return signed_percent(c.error);
  if (told == Told::points)
    return fmt::format("{:+.1f}", std::abs(c.difference) < 0.05 ? 0.0 : c.difference);
  return fmt::format("{:+.4f}", std::abs(c.difference) < 5e-5 ? 0.0 : c.difference);
}

std::string cells_of(const Row& row, const Comparison& c) {
  const std::string title =
      c.node.empty() ? std::string(row.title) : c.node + " " + std::string(row.title);
  const std::string spread = c.spread ? fmt::format("± {:.1f} %", *c.spread * 100) : "-";
  return table_line(kMetricColumns, {title, figure(c.measured / row.unit), spread,
                                     figure(c.predicted / row.unit), error_text(c, row.told)});
}

std::string error_apart(const Comparison& c) {
  if (!c.protocol_error) return {};
  return table_line(kMetricColumns,
                    {"  of that protocol", "", "", "", signed_percent(c.protocol_error)}) +
         table_line(kMetricColumns,
                    {"  of that compute", "", "", "", signed_percent(c.compute_error())});
}

std::string heading(const CaseValidation& c, int repetitions) {
  std::string text = fmt::format("{}: {}, 1 simulation", title_of(c.scenario_case),
                                 repetitions == 1 ? "1 run" : fmt::format("{} runs", repetitions));
  if (c.weights_equal) {
    text += *c.weights_equal ? "; weights equal bit for bit" : "; WEIGHTS DIFFER";
  }
  if (c.replay_equal) {
    text += *c.replay_equal ? "; replayed to equal weights" : "; THE REPLAY'S WEIGHTS DIFFER";
  }
  if (c.staleness_distance) {
    text += fmt::format("; distributions of staleness {:.3f} apart", *c.staleness_distance);
  }
  return wrap(text);
}

}  // namespace

std::string case_table(const CaseValidation& c, int repetitions) {
  std::string text = heading(c, repetitions);
  text += table_line(kMetricColumns, {"", "measured", "spread", "predicted", "error"});
  for (const Row& row : kRows) {
    const Comparison* comparison = c.find(row.metric);
    if (comparison == nullptr) continue;
    text += cells_of(row, *comparison);
    if (&row == &kRows.front()) text += error_apart(*comparison);
  }
  for (const auto& [name, of] : kPhases<double>) {
    const std::string metric = fmt::format("{}_ms", name);
    const bool first = name == kPhases<double>.front().name;
    const std::string title = fmt::format("  {}{}", name, first ? " [ms/step]" : "");
    if (const Comparison* each = c.find(metric)) text += cells_of({metric, title}, *each);
  }
  for (const Row& row : kNodeRows) {
    if (const Comparison* worst = c.worst_node(row.metric)) text += cells_of(row, *worst);
  }
  return text;
}

}  // namespace foretrain
