#include "sim/whatif/critical_path.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <algorithm>
#include <utility>

namespace foretrain::sim {
namespace {

// Edges from each activity to those that it waited for.
using Graph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, std::uint32_t, std::uint32_t>;

Graph graph_of(const std::vector<Activity>& activities) {
  std::vector<std::pair<ActivityId, ActivityId>> edges;
  edges.reserve(activities.size());
  for (std::size_t i = 1; i < activities.size(); ++i) {
    const Activity& activity = activities[i];
    edges.emplace_back(static_cast<ActivityId>(i), activity.cause);
    if (activity.before != 0) edges.emplace_back(static_cast<ActivityId>(i), activity.before);
  }
  return {boost::edges_are_sorted, edges.begin(), edges.end(),
          static_cast<std::uint32_t>(activities.size())};
}

void count(CriticalPath& path, Resource resource, std::uint32_t node, Duration time) {
  const auto index = static_cast<std::size_t>(resource);
  path.times[index] += time;
  std::vector<Duration>& nodes = path.nodes[index];
  if (nodes.size() <= node) nodes.resize(node + 1);
  nodes[node] += time;
}

}  // namespace

double CriticalPath::share(Resource resource) const {
  return length.ns > 0 ? time(resource).seconds() / length.seconds() : 0;
}

std::optional<std::uint32_t> CriticalPath::most_of(Resource resource) const {
  const std::vector<Duration>& of = nodes[static_cast<std::size_t>(resource)];
  const auto most = std::ranges::max_element(of);
  if (most == of.end() || most->ns == 0) return std::nullopt;
  return static_cast<std::uint32_t>(most - of.begin());
}

Resource CriticalPath::longest() const {
  return static_cast<Resource>(std::ranges::max_element(times) - times.begin());
}

CriticalPath critical_path(const History& history, Instant end) {
  const std::vector<Activity>& activities = history.activities();
  const Graph graph = graph_of(activities);
  CriticalPath path;
  path.whole = !history.full();
  ActivityId at = history.last();
  if (history.full()) end = activities[at].end;
  path.length = end - Instant{};
  Instant until = end;
  while (at != 0) {
    const Activity& activity = activities[at];
    // Its time up to then. In a gap before the end the reason for waiting is unknown.
    if (until > activity.end) count(path, Resource::waiting, activity.node, until - activity.end);
    // A message may be read while it is sent: its reader begins before the sender ends.
    const Duration took = std::max(std::min(until, activity.end) - activity.begin, Duration{});
    count(path, activity.resource, activity.node, took);
    if (activity.queued) path.queued += took;
    path.activities.push_back(at);
    until = std::min(until, activity.begin);
    ActivityId latest = 0;
    const auto [first, last] = boost::out_edges(at, graph);
    for (auto edge = first; edge != last; ++edge) {
      const ActivityId earlier = boost::target(*edge, graph);
      if (activities[earlier].end > activities[latest].end) latest = earlier;
    }
    at = latest;
  }
  if (until > Instant{}) count(path, Resource::waiting, 0, until - Instant{});
  std::ranges::reverse(path.activities);
  return path;
}

}  // namespace foretrain::sim
