#include "reports/record/shown.h"

#include "scenarios/node_counts.h"

#include <algorithm>
#include <cmath>

namespace foretrain {
namespace {

template <class Row, class NodeOf>
std::vector<std::vector<const Row*>> by_node(const std::vector<Row>& rows, std::size_t nodes,
                                             const NodeOf& node_of) {
  std::vector<std::vector<const Row*>> lists(nodes);
  for (const Row& row : rows) {
    const auto node = static_cast<std::size_t>(node_of(row));
    if (node < nodes) lists[node].push_back(&row);
  }
  return lists;
}

/// Of the numbers among values[from, to): the places of the smallest and of the largest.
void add_extremes(std::span<const double> values, std::size_t from, std::size_t to,
                  std::vector<std::size_t>& places) {
  std::size_t least = to;
  std::size_t most = to;
  for (std::size_t i = from; i < to; ++i) {
    if (std::isnan(values[i])) continue;
    if (least == to || values[i] < values[least]) least = i;
    if (most == to || values[i] > values[most]) most = i;
  }
  if (least == to) return;
  places.push_back(std::min(least, most));
  if (least != most) places.push_back(std::max(least, most));
}

}  // namespace

std::vector<std::size_t> thinned(std::span<const double> values, std::size_t most) {
  std::vector<std::size_t> places;
  if (values.size() <= most) {
    for (std::size_t i = 0; i < values.size(); ++i) places.push_back(i);
    return places;
  }
  const std::size_t stretches = std::max<std::size_t>(most, 4) / 2 - 1;
  places.reserve(2 * stretches + 2);
  places.push_back(0);
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t inner = values.size() - 2;
    add_extremes(values, 1 + i * inner / stretches, 1 + (i + 1) * inner / stretches, places);
  }
  places.push_back(values.size() - 1);
  return places;
}

std::vector<int> shown_nodes(const Record& record, std::size_t most) {
  const std::size_t nodes = record.nodes.size();
  constexpr std::size_t kChosen = 4;  // beside every so manieth
  std::vector<int> shown;
  const std::size_t stride =
      nodes <= most ? 1 : (nodes + most - kChosen - 1) / std::max<std::size_t>(1, most - kChosen);
  for (std::size_t i = 0; i < nodes; i += stride) shown.push_back(static_cast<int>(i));
  if (stride == 1) return shown;
  std::vector<std::int64_t> took(nodes, -1);
  for (const auto& [worker, report] : record.steps) {
    if (static_cast<std::size_t>(worker) < nodes) {
      took[static_cast<std::size_t>(worker)] += length_of(report.phases).ns;
    }
  }
  const auto counted = static_cast<std::size_t>(node_counts(record.scenario_case.scenario).workers);
  const std::size_t workers = std::min(counted, nodes - 1);
  const auto [least, longest] = std::minmax_element(
      took.begin(), took.begin() + std::ssize(took) - static_cast<std::ptrdiff_t>(nodes - workers));
  shown.push_back(static_cast<int>(least - took.begin()));
  shown.push_back(static_cast<int>(longest - took.begin()));
  shown.push_back(static_cast<int>(workers));
  std::ranges::sort(shown);
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

std::vector<std::vector<const StepRow*>> steps_by_worker(const Record& record) {
  return by_node(record.steps, record.nodes.size(), [](const StepRow& row) { return row.worker; });
}

std::vector<std::vector<const UsageRow*>> usage_by_node(const Record& record) {
  return by_node(record.usage, record.nodes.size(), [](const UsageRow& row) { return row.node; });
}

double Used::rate(double amount) const {
  const double passed_s = (row->time - from).seconds();
  return passed_s > 0 ? amount / passed_s : 0;
}

std::vector<Used> used_by(const std::vector<const UsageRow*>& rows) {
  std::vector<Used> all;
  all.reserve(rows.size());
  Instant from;
  for (const UsageRow* row : rows) {
    all.push_back({from, row});
    from = row->time;
  }
  return all;
}

}  // namespace foretrain
