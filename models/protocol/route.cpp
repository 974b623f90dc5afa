#include "models/protocol/route.h"

#include <bit>

namespace foretrain {
namespace {

Route ring_route(int workers, int owner, int worker) {
  const int before = (worker + workers - 1) % workers;
  const int after = (worker + 1) % workers;
  Route route;
  if (workers == 1) return route;
  if (before != owner) route.sources.push_back(before);
  if (worker != owner) {
    route.sum_to = after;
    route.values_from = before;
  }
  if (after != owner) route.values_to.push_back(after);
  return route;
}

Route hypercube_route(int workers, int owner, int worker) {
  const auto distance = static_cast<unsigned>(owner ^ worker);
  Route route;
  const unsigned above = std::bit_ceil(distance + 1);  // the lowest bit above those of the distance
  for (auto bit = static_cast<unsigned>(workers) / 2; bit >= above; bit /= 2) {
    route.sources.push_back(worker ^ static_cast<int>(bit));
  }
  route.values_to.assign(route.sources.rbegin(), route.sources.rend());
  if (distance == 0) return route;
  const int towards_owner = worker ^ static_cast<int>(std::bit_floor(distance));
  route.sum_to = towards_owner;
  route.values_from = towards_owner;
  return route;
}

}  // namespace

bool over_hypercube(const Training& training) {
  const auto workers = static_cast<unsigned>(training.workers);
  return workers >= 4 && std::has_single_bit(workers) &&
         training.layout->buckets.front().size() <= kSmallBucket;
}

Route route_of(const Training& training, int owner, int worker) {
  if (over_hypercube(training)) return hypercube_route(training.workers, owner, worker);
  return ring_route(training.workers, owner, worker);
}

bool linked_in_all_reduce(const Training& training, NodeId a, NodeId b) {
  const auto first = static_cast<int>(index_of(a));
  const auto second = static_cast<int>(index_of(b));
  if (first == second) return false;
  if (over_hypercube(training)) return std::has_single_bit(static_cast<unsigned>(first ^ second));
  return (first + 1) % training.workers == second || (second + 1) % training.workers == first;
}

}  // namespace foretrain
