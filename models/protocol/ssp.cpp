#include "models/protocol/ssp.h"

#include "models/protocol/worker.h"

#include <algorithm>
#include <utility>

namespace foretrain {

std::optional<std::size_t> SspServer::next(const Queue& queue) const {
  if (training().options.staleness > 0) return AsyncServer::next(queue);
  // Those who have still to contribute to the clock are all here, or it is not complete.
  if (queue.clocks.at_slowest() != std::ssize(queue.arrivals)) return std::nullopt;
  const auto first = std::ranges::min_element(queue.arrivals, {}, &Arrival::from);
  return static_cast<std::size_t>(first - queue.arrivals.begin());
}

bool SspServer::may_go_on(const Queue& queue, int worker) const {
  return lead(queue, worker) <= training().options.staleness &&
         AsyncServer::may_go_on(queue, worker);
}

std::unique_ptr<Node> make_ssp_node(std::shared_ptr<const Training> training, NodeId id) {
  if (training->is_worker(id)) return std::make_unique<Worker>(std::move(training), id);
  return std::make_unique<SspServer>(std::move(training), id);
}

}  // namespace foretrain
