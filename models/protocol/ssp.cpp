#include "models/protocol/ssp.h"

#include "models/protocol/worker.h"

#include <algorithm>
#include <utility>

namespace foretrain {

SspServer::SspServer(const std::shared_ptr<const Training>& training, NodeId id)
    : AsyncServer(training, id), staleness_(training->options.integer(kStaleness)) {}

std::optional<std::size_t> SspServer::next(const Queue& queue) const {
  if (staleness_ > 0) return AsyncServer::next(queue);
  // Those who have still to contribute to the clock are all here, or it is not complete. Who came
  // back may be behind others: these wait for it.
  if (std::ssize(queue.arrivals) < queue.clocks.at_slowest()) return std::nullopt;
  std::int64_t here = 0;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < queue.arrivals.size(); ++i) {
    const NodeId from = queue.arrivals[i].from;
    if (queue.clocks.of(index_of(from)) != queue.clocks.slowest()) continue;
    ++here;
    if (!first || from < queue.arrivals[*first].from) first = i;
  }
  return here == queue.clocks.at_slowest() ? first : std::nullopt;
}

bool SspServer::may_go_on(const Queue& queue, int worker) const {
  return lead(queue, worker) <= staleness_ && AsyncServer::may_go_on(queue, worker);
}

std::int64_t SspServer::first_step(const Queue& queue, int worker) const {
  return std::max(queue.clocks.slowest(), AsyncServer::first_step(queue, worker));
}

namespace {

std::unique_ptr<Node> ssp_node(const std::shared_ptr<const Training>& training, NodeId id) {
  if (training->is_worker(id)) return std::make_unique<Worker>(training, id);
  return std::make_unique<SspServer>(training, id);
}

}  // namespace

const Option kStaleness{.key = "staleness",
                        .doc = "ssp: clocks that a worker may be ahead of the slowest; 0: lockstep",
                        .fallback = std::int64_t{4},
                        .unused_because = "only ssp has a bound on staleness"};

// As async, but for the bound.
Protocol ssp_protocol() {
  Protocol protocol = async_protocol();
  protocol.name = "ssp";
  protocol.doc = "as async, but nobody is further ahead of the slowest than a bound";
  protocol.options = {&kStaleness, &kQuota};
  protocol.weighed_against = "";
  protocol.statistical_efficiency =
      "gradients are stale, within a bound: the loss at the same step differs";
  protocol.deterministic = [](const ProtocolOptions& o) { return o.integer(kStaleness) == 0; };
  protocol.make_node = ssp_node;
  return protocol;
}

}  // namespace foretrain
