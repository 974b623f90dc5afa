#include "reports/record/downsampled.h"

#include "scenarios/resolve/placement.h"

#include <algorithm>
#include <variant>

namespace foretrain {
Steps steps_of(const Record& record) {
  return [&record](const std::function<void(const StepRow&)>& look) {
    for (const StepRow& row : record.steps) look(row);
  };
}

std::vector<StepsOfNode> count_steps(const Steps& steps, std::size_t nodes) {
  std::vector<StepsOfNode> counts(nodes);
  steps([&](const StepRow& row) {
    const auto node = static_cast<std::size_t>(row.worker);
    if (node >= nodes) return;
    ++counts[node].count;
    counts[node].time += length_of(row.report.phases);
  });
  return counts;
}

std::vector<std::size_t> thinned(std::span<const double> values, std::size_t most) {
  std::vector<std::size_t> places;
  places.reserve(std::min(values.size(), most));
  Thinning<std::monostate> thinning(values.size(), most);
  for (const double value : values) {
    thinning.add(value, {}, [&](std::size_t place, std::monostate) { places.push_back(place); });
  }
  return places;
}

std::vector<int> shown_nodes(const Record& record, const std::vector<StepsOfNode>& steps,
                             std::size_t most) {
  const std::size_t nodes = record.nodes.size();
  constexpr std::size_t kChosen = 4;  // reserved for the chosen nodes besides every n-th
  std::vector<int> shown;
  const std::size_t stride =
      nodes <= most ? 1 : (nodes + most - kChosen - 1) / std::max<std::size_t>(1, most - kChosen);
  for (std::size_t i = 0; i < nodes; i += stride) shown.push_back(static_cast<int>(i));
  if (stride == 1) return shown;
  const auto counted = static_cast<std::size_t>(node_counts(record.scenario_case.scenario).workers);
  const std::size_t workers = std::min(counted, nodes - 1);
  const auto of_workers = std::span(steps).first(workers);
  const auto [least, longest] = std::ranges::minmax_element(of_workers, {}, &StepsOfNode::time);
  shown.push_back(static_cast<int>(least - of_workers.begin()));
  shown.push_back(static_cast<int>(longest - of_workers.begin()));
  shown.push_back(static_cast<int>(workers));
  std::ranges::sort(shown);
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

std::vector<std::vector<const UsageRow*>> usage_by_node(const Record& record) {
  std::vector<std::vector<const UsageRow*>> lists(record.nodes.size());
  for (const UsageRow& row : record.usage) {
    const auto node = static_cast<std::size_t>(row.node);
    if (node < lists.size()) lists[node].push_back(&row);
  }
  return lists;
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
