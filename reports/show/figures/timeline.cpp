// Timeline of the workers, with the updates of the servers below.
#include "models/protocol/registry.h"
#include "reports/record/downsampled.h"
#include "reports/record/source.h"
#include "reports/show/figures/of_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr int kMostWorkers = 8;           // the first ones
constexpr std::size_t kStepsShown = 40;   // of worker 0; other workers' steps in the same time
constexpr std::size_t kStepsInView = 10;  // shown first
constexpr std::size_t kMostSpans = 1500;  // if one worker is far faster than another
constexpr std::size_t kMostArrows = 160;  // with more, only every n-th step has arrows

/// Index of the phase in which servers apply gradients.
constexpr auto kApply = static_cast<std::size_t>(
    std::ranges::find(kPhases<Duration>, &Phases::apply, &Phase<Duration>::of) -
    kPhases<Duration>.begin());

double ms(Instant time) { return time.seconds() * 1e3; }

/// A section of the training.
struct Window {
  Instant begin;
  Instant end;
  Instant view_end;  ///< end of the part that is shown first
};

/// The middle of worker 0's steps; the first steps are not typical.
std::optional<Window> window_of(const Record& record) {
  std::vector<const StepReport*> steps;
  for (const StepRow& row : record.steps) {
    if (row.worker == 0) steps.push_back(&row.report);
  }
  if (steps.empty()) return std::nullopt;
  const std::size_t shown = std::min(kStepsShown, steps.size());
  const std::size_t first = (steps.size() - shown) / 2;
  const auto end_of = [&](std::size_t i) { return steps[i]->start + length_of(steps[i]->phases); };
  const std::size_t in_view = std::min(kStepsInView, shown);
  return Window{steps[first]->start, end_of(first + shown - 1), end_of(first + in_view - 1)};
}

/// Begin and end.
using Span = std::pair<Instant, Instant>;

/// Merges spans that touch or overlap.
std::vector<Span> merged(std::vector<Span> spans) {
  std::ranges::sort(spans);
  std::vector<Span> apart;
  for (const Span& span : spans) {
    if (!apart.empty() && span.first <= apart.back().second) {
      apart.back().second = std::max(apart.back().second, span.second);
    } else {
      apart.push_back(span);
    }
  }
  return apart;
}

void add_span(Series& series, const Span& span, std::size_t row, std::string name) {
  series.x.push_back(ms(span.first));
  series.x_end.push_back(ms(span.second));
  series.y.push_back(static_cast<double>(row));
  series.names.push_back(std::move(name));
}

std::string worker_name(int worker) { return fmt::format("worker{}", worker); }

/// Adds a row with the phases of each worker. Returns the times at which servers applied gradients.
std::vector<Span> add_workers(const Record& record, const Window& window, Panel& panel) {
  std::map<int, std::size_t> rows;
  for (const StepRow& row : record.steps) {
    if (row.worker < kMostWorkers) rows.emplace(row.worker, 0);
  }
  for (auto& [worker, row] : rows) {
    row = panel.rows.size();
    panel.rows.push_back(worker_name(worker));
  }
  // Workers' clocks differ by a message delay, so common updates are taken from one worker.
  const Protocol& protocol = protocol_called(record.scenario_case.scenario.training.strategy);
  const bool for_all = protocol.servers && protocol.synchronous;
  std::vector<Span> applying;
  std::size_t spans = 0;
  for (const StepRow& step : record.steps) {
    if (step.report.start < window.begin || step.report.start >= window.end) continue;
    const auto row = rows.find(step.worker);
    Instant at = step.report.start;
    for (std::size_t phase = 0; phase < kPhases<Duration>.size(); ++phase) {
      const Duration took = step.report.phases.*kPhases<Duration>[phase].of;
      const Span span{at, at + took};
      at = span.second;
      if (took <= Duration{}) continue;
      if (phase == kApply && (!for_all || step.worker == 0)) applying.push_back(span);
      if (row == rows.end() || ++spans > kMostSpans) continue;
      add_span(panel.series[phase], span, row->second,
               fmt::format("{}, step {}", panel.rows[row->second], step.report.step.value));
    }
  }
  return applying;
}

/// Adds the messages of a step: the last part of its gradient, sent when it was computed, and the
/// new values, sent when they were ready. The times are sums of the step's phases by its worker's
/// clock.
void add_messages(const StepReport& step, double worker, double server, const std::string& name,
                  const std::string& servers, Series& messages) {
  const auto add = [&](Instant sent, Duration took, double from, double to, std::string what) {
    if (took <= Duration{}) return;
    messages.x.push_back(ms(sent));
    messages.x_end.push_back(ms(sent + took));
    messages.y.push_back(from);
    messages.y_end.push_back(to);
    messages.names.push_back(std::move(what));
  };
  const Phases& p = step.phases;
  const Instant pushed = step.start + p.compute;
  add(pushed, p.push, worker, server,
      fmt::format("gradient of step {}, {} to {}", step.step.value, name, servers));
  add(pushed + p.push + p.wait + p.apply, p.pull, server, worker,
      fmt::format("parameters after step {}, {} to {}", step.step.value, servers, name));
}

/// The messages between the workers' rows and the last row, which is the servers'.
Series messages_of(const Record& record, const Window& window, const Panel& panel) {
  Series messages{"messages", {}, {}, false, 0, Mark::arrow};
  const std::size_t workers = panel.rows.size() - 1;
  const auto row_of = [&](const StepRow& step) {
    const auto begin = panel.rows.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(workers);
    return static_cast<std::size_t>(std::find(begin, end, worker_name(step.worker)) - begin);
  };
  std::vector<std::pair<const StepReport*, std::size_t>> steps;
  for (const StepRow& step : record.steps) {
    if (step.worker >= kMostWorkers) continue;
    if (step.report.start < window.begin || step.report.start >= window.end) continue;
    if (const std::size_t row = row_of(step); row < workers) steps.emplace_back(&step.report, row);
  }
  if (steps.empty()) return messages;
  const std::int64_t first = steps.front().first->step.value;
  const auto one_in = static_cast<std::int64_t>((2 * steps.size() + kMostArrows - 1) / kMostArrows);
  for (const auto& [step, row] : steps) {
    if ((step->step.value - first) % one_in != 0) continue;
    add_messages(*step, static_cast<double>(row), static_cast<double>(workers), panel.rows[row],
                 panel.rows.back(), messages);
  }
  return messages;
}

}  // namespace

Figure timeline(const Record& record, const std::string& name) {
  Figure figure{
      name,
      record.scenario_case.scenario.name + ": " + title_of(record.scenario_case) + ", timeline",
      {},
      source_of(record)};
  const auto window = window_of(record);
  if (!window) return figure;
  Panel panel{"what each node does", "time [ms]", "", {}, {}};
  for (const auto& [phase, of] : kPhases<Duration>) {
    const int colour = static_cast<int>(panel.series.size());
    panel.series.push_back({std::string(phase), {}, {}, false, colour, Mark::span});
  }
  const std::vector<Span> applying = add_workers(record, *window, panel);
  const auto length_ms = [](const Series& phase) {
    return std::reduce(phase.x_end.begin(), phase.x_end.end()) -
           std::reduce(phase.x.begin(), phase.x.end());
  };
  double all_ms = 0;
  for (const Series& phase : panel.series) all_ms += length_ms(phase);
  const Series& longest = *std::ranges::max_element(panel.series, {}, length_ms);
  if (all_ms > 0) {
    figure.title += fmt::format(": {} takes {:.0f} % of the workers' time", longest.title,
                                100 * length_ms(longest) / all_ms);
  }
  const auto servers = std::ranges::count_if(
      record.nodes, [](const NodeTotals& node) { return node.role.starts_with("server"); });
  if (servers > 0) {
    panel.rows.emplace_back(servers == 1 ? "server0" : "servers");
    for (const Span& span : merged(applying)) {
      add_span(panel.series[kApply], span, panel.rows.size() - 1, panel.rows.back());
    }
    panel.series.push_back(messages_of(record, *window, panel));
  }
  std::erase_if(panel.series, [](const Series& s) { return s.x.empty(); });
  panel.view = {ms(window->begin), ms(window->view_end)};
  if (panel.series.empty()) return figure;
  figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace foretrain
