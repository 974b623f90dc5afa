// CPU, memory, network of the nodes over time.
#include "reports/record/downsampled.h"
#include "reports/record/source.h"
#include "reports/show/figures/downsample.h"
#include "reports/show/figures/of_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kMostNodes = 6;  // up to this number each node has a line
constexpr std::size_t kBins = 200;     // of time, for statistics over nodes

/// Resource use of a node in an interval.
struct Interval {
  double end_s = 0;
  std::array<double, 4> figures{};  // in the order of kKinds; NaN: not known
};

struct Kind {
  const char* title;
  const char* y_label;
};
constexpr auto kKinds = std::to_array<Kind>({{"CPU", "CPU [% of a core]"},
                                             {"memory", "resident memory [MB]"},
                                             {"sent", "sent [MB/s]"},
                                             {"received", "received [MB/s]"}});

double megabytes(Bytes bytes) {
  return bytes.value < 0 ? std::numeric_limits<double>::quiet_NaN()
                         : static_cast<double>(bytes.value) / 1e6;
}

/// The intervals of each node, by index of the node.
std::vector<std::vector<Interval>> intervals_of(const Record& record) {
  std::vector<std::vector<Interval>> nodes;
  nodes.reserve(record.nodes.size());
  for (const auto& rows : usage_by_node(record)) {
    std::vector<Interval>& intervals = nodes.emplace_back();
    for (const Used& used : used_by(rows)) {
      const UsageRow& row = *used.row;
      if (row.time <= used.from) continue;
      intervals.push_back({row.time.seconds(),
                           {used.rate(row.cpu_user_s + row.cpu_system_s) * 100, megabytes(row.rss),
                            used.rate(row.tx) / 1e6, used.rate(row.rx) / 1e6}});
    }
  }
  return nodes;
}

Series line_of(const std::string& title, int colour, const Record& record) {
  return {title, {}, {}, record.mode == Mode::simulate, colour, Mark::trace};
}

std::vector<Series> lines_of_nodes(const Record& record,
                                   const std::vector<std::vector<Interval>>& nodes,
                                   std::size_t kind) {
  std::vector<Series> lines;
  lines.reserve(nodes.size());
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    Series line = line_of(record.nodes[node].role, static_cast<int>(node), record);
    for (const Interval& interval : nodes[node]) {
      line.x.push_back(interval.end_s);
      line.y.push_back(interval.figures[kind]);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Statistics over the nodes of one role in a bin of time.
struct Together {
  double sum = 0;
  double most = 0;
  int count = 0;
};

/// Adds two lines for the nodes whose role begins with `role`: mean and maximum.
void add_together(const Record& record, const std::vector<std::vector<Interval>>& nodes,
                  std::size_t kind, std::string_view role, std::vector<Series>& lines) {
  const double end_s = record.usage.back().time.seconds();
  std::vector<Together> bins(kBins);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (!record.nodes[node].role.starts_with(role)) continue;
    for (const Interval& interval : nodes[node]) {
      const double figure = interval.figures[kind];
      if (!std::isfinite(figure)) continue;
      const auto bin = static_cast<std::size_t>(interval.end_s / end_s * kBins);
      Together& together = bins[std::min(bin, kBins - 1)];
      together.sum += figure;
      together.most = std::max(together.most, figure);
      ++together.count;
    }
  }
  const int colour = static_cast<int>(lines.size());
  Series mean = line_of(fmt::format("{}s, mean", role), colour, record);
  Series most = line_of(fmt::format("{}s, most of any", role), colour + 1, record);
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    if (bins[bin].count == 0) continue;
    const double time_s = end_s * (static_cast<double>(bin) + 1) / kBins;
    mean.x.push_back(time_s);
    mean.y.push_back(bins[bin].sum / bins[bin].count);
    most.x.push_back(time_s);
    most.y.push_back(bins[bin].most);
  }
  if (mean.x.empty()) return;
  lines.push_back(std::move(mean));
  lines.push_back(std::move(most));
}

}  // namespace

Figure resources(const Record& record, const std::string& name) {
  Figure figure{name,
                record.scenario_case.scenario.name + ": " + title_of(record.scenario_case),
                {},
                source_of(record),
                true};
  if (record.usage.empty() || record.nodes.empty()) return figure;
  const NodeTotals& busiest = *std::ranges::max_element(record.nodes, {}, &NodeTotals::cpu_s);
  figure.title += fmt::format(", {} is the busiest, {:.0f} % of a core", busiest.role,
                              100 * busiest.cpu_s / record.time.seconds());
  const auto nodes = intervals_of(record);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    Panel panel{kKinds[kind].title, "time [s]", kKinds[kind].y_label, {}, {}};
    panel.from_zero = true;
    std::vector<Series> lines;
    if (nodes.size() <= kMostNodes) {
      lines = lines_of_nodes(record, nodes, kind);
    } else {
      for (const std::string_view role : {"worker", "server"}) {
        add_together(record, nodes, kind, role, lines);
      }
    }
    for (Series& line : lines) {
      const auto known = [](double y) { return std::isfinite(y); };
      if (!std::ranges::any_of(line.y, known)) continue;
      panel.series.push_back(thinned(std::move(line), kMostPoints));
    }
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace foretrain
