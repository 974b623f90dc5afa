#include "sim/network/send_wait_tracker.h"

#include <utility>

namespace foretrain::sim {

SendWaitTracker::SendWaitTracker(FlowNetwork& flows, std::vector<Resource> ports, Recorder history)
    : history_(history), ports_(std::move(ports)) {
  if (history_.keeps()) flows.watch(this);
}

void SendWaitTracker::is_moved_by(ConnectionId id, FlowNetwork::FlowId flow) {
  if (!history_.keeps()) return;
  if (connection_of_.size() <= flow) connection_of_.resize(flow + 1);
  connection_of_[flow] = id;
}

void SendWaitTracker::bottlenecked(std::uint32_t flow, std::uint32_t port, Instant now) {
  change(leaving_[connection_of_[flow]], ports_[port], now);
}

void SendWaitTracker::change(Leaving& leaving, Resource resource, Instant now) {
  if (leaving.resource == resource) return;
  end(leaving, now);
  leaving.resource = resource;
}

void SendWaitTracker::end(Leaving& leaving, Instant now) {
  const std::uint32_t node = history_.node_of(leaving.cause);
  leaving.cause = history_.add(
      {leaving.since, now, leaving.cause, leaving.before, node, leaving.resource, false});
  leaving.before = 0;
  leaving.since = now;
}

Callback SendWaitTracker::begin_way(ConnectionId id, Instant now, Instant there, Callback arrived) {
  Leaving& leaving = leaving_[id];
  end(leaving, now);
  const std::uint32_t node = history_.node_of(leaving.cause);
  const ActivityId activity =
      history_.add({now, there, leaving.cause, 0, node, Resource::latency, false});
  return {this, arriving_.keep({arrived, activity})};
}

void SendWaitTracker::follows(ConnectionId id, ActivityId cause) {
  if (!history_.keeps()) return;
  Leaving& leaving = leaving_[id];
  leaving.before = std::exchange(leaving.cause, cause);
}

void SendWaitTracker::wake(Instant now, std::uint64_t token) {
  const Arriving there = arriving_.take(token);
  history_.go_on_from(there.activity);
  there.arrived.actor->wake(now, there.arrived.token);
}

}  // namespace foretrain::sim
