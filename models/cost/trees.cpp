#include "models/cost/trees.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace foretrain {
namespace {

/// Messages of a sum and its values: those one after another, those of the fullest port.
struct Waits {
  int leave = 0;     ///< leave a host
  int inside = 0;    ///< stay in a host
  double edges = 0;  ///< most edges between workers that end at one host, as a group's share
};

double fullest(const std::vector<int>& edges, int group) {
  return static_cast<double>(*std::ranges::max_element(edges)) / group;
}

/// The host of the member at `place` in group `number`.
int host_at(const SumLinks& links, int group, int number, int place) {
  return links.hosts[static_cast<std::size_t>(number * group + place)];
}

std::vector<int> none_at_hosts(const SumLinks& links) {
  return std::vector<int>(static_cast<std::size_t>(*std::ranges::max_element(links.hosts)) + 1);
}

/// A sum does not use the edge after its owner; values do not use the one before it.
Waits ring_waits(const SumLinks& links, int group) {
  const int groups = static_cast<int>(std::ssize(links.hosts)) / group;
  std::vector<int> edges = none_at_hosts(links);
  Waits waits;
  for (int place = 0; place < group; ++place) {
    const auto leaves = [&](int from) {
      return host_at(links, group, from, place) !=
             host_at(links, group, (from + 1) % groups, place);
    };
    int all = 0;
    int fewest_lacked = 2;
    for (int number = 0; number < groups; ++number) {
      const int after = leaves(number) ? 1 : 0;
      const int before = leaves((number + groups - 1) % groups) ? 1 : 0;
      all += after;
      edges[static_cast<std::size_t>(host_at(links, group, number, place))] += after;
      fewest_lacked = std::min(fewest_lacked, after + before);
    }
    waits.leave = std::max(waits.leave, 2 * all - fewest_lacked);
  }
  waits.inside = 2 * (groups - 1) - waits.leave;
  waits.edges = fullest(edges, group);
  return waits;
}

/// Two heaps: one from the first group, one from the last.
Waits tree_waits(const SumLinks& links, int group) {
  const int groups = static_cast<int>(std::ssize(links.hosts)) / group;
  const int depth = std::bit_width(static_cast<unsigned>(groups)) - 1;
  std::vector<int> edges = none_at_hosts(links);
  std::vector<int> left(static_cast<std::size_t>(groups));  // edges between hosts, from the root
  Waits waits;
  for (const bool up : {true, false}) {
    for (int place = 0; place < group; ++place) {
      const auto host_of = [&](int heap_number) {
        return host_at(links, group, up ? heap_number : groups - 1 - heap_number, place);
      };
      for (int child = 1; child < groups; ++child) {
        const int parent = (child - 1) / 2;
        const int leaves = host_of(child) != host_of(parent) ? 1 : 0;
        const int so_far = left[static_cast<std::size_t>(parent)] + leaves;
        left[static_cast<std::size_t>(child)] = so_far;
        edges[static_cast<std::size_t>(host_of(child))] += leaves;
        edges[static_cast<std::size_t>(host_of(parent))] += leaves;
        waits.leave = std::max(waits.leave, 2 * so_far);
      }
    }
  }
  waits.inside = 2 * depth - waits.leave;
  waits.edges = fullest(edges, group);
  return waits;
}

}  // namespace

Bytes trees_up_to(const SumLinks& links, int group, int tree_group) {
  constexpr double kMost = 1e18;
  constexpr double kEdgesOfInner = 4;
  constexpr double kUnevenly = 1.1;
  const std::ptrdiff_t count = std::ssize(links.hosts) / group;
  const auto groups = static_cast<double>(count);
  if (groups <= 1 || links.rate.value <= 0) return {};
  const Waits ring = ring_waits(links, group);
  Waits trees = tree_waits(links, tree_group);
  trees.inside += 2 * (tree_group - group);  // steps in larger groups, both ways
  const double both_ways_s = links.latency.seconds() * (ring.leave - trees.leave) +
                             links.inside.seconds() * (ring.inside - trees.inside);
  const double saved_s = both_ways_s / 2;
  // A port with capacity for all its messages at their rate does not delay them.
  const double share = links.rate.value / links.port.value;
  const double at_trees = kUnevenly * std::max(1.0, trees.edges * share);
  const double at_ring = std::max(1.0, ring.edges * share);
  const double longer = at_trees * groups / kEdgesOfInner - at_ring * (groups - 1);
  if (longer <= 0) return {saved_s > 0 ? std::llround(kMost) : 0};
  return {std::llround(std::clamp(groups * saved_s * links.rate.value / longer, 0.0, kMost))};
}

}  // namespace foretrain
