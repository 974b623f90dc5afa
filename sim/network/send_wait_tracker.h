// Records what messages wait for on their way out of a connection.
#pragma once

#include "sim/engine/engine.h"
#include "sim/engine/slots.h"
#include "sim/history/recorder.h"
#include "sim/network/flows.h"

#include <cstdint>
#include <vector>

namespace foretrain::sim {

/// Follows the message that each connection sends. The message waits for earlier messages of the
/// connection, for its bottleneck port, for a TCP window, then for the wire. When the reason
/// changes, the elapsed span is added to the history. Without a history every call does nothing.
///
///     begins -> waits_for (a port, a window; whenever that changes) -> left -> arrives
///                                    the next message of the connection -> follows
class SendWaitTracker : public Actor, private HoldWatcher {
 public:
  using ConnectionId = std::uint32_t;

  /// `ports`: the resource that each port of `flows` counts as.
  SendWaitTracker(FlowNetwork& flows, std::vector<Resource> ports, Recorder history);

  /// The current activity, which causes any message that is sent now.
  [[nodiscard]] ActivityId cause() const { return history_.current(); }
  /// Registers a port that was added to `flows` later.
  void add_port(Resource resource) { ports_.push_back(resource); }
  void add_connection() {
    if (history_.keeps()) leaving_.emplace_back();
  }
  /// The connection, which was idle, begins to send the message that `cause` produced.
  void begins(ConnectionId id, Instant now, ActivityId cause) {
    if (history_.keeps()) leaving_[id] = {now, Resource::waiting, cause, 0};
  }
  /// `flow` transfers the bytes of the connection.
  void is_moved_by(ConnectionId id, FlowNetwork::FlowId flow);
  /// The message waits for `resource` from now on.
  void waits_for(ConnectionId id, Resource resource, Instant now) {
    if (history_.keeps()) change(leaving_[id], resource, now);
  }
  /// The last byte of the message has left and arrives at `there`; `arrived` is to be woken then.
  /// Returns the callback to schedule instead of `arrived`.
  Callback left(ConnectionId id, Instant now, Instant there, Callback arrived) {
    return history_.keeps() ? begin_way(id, now, there, arrived) : arrived;
  }
  /// After `left`: the connection sends its next message, which `cause` produced.
  void follows(ConnectionId id, ActivityId cause);

  void wake(Instant now, std::uint64_t token) override;

 private:
  /// The reason for which a connection's current message waits, and since when.
  struct Leaving {
    Instant since;
    Resource resource = Resource::waiting;
    ActivityId cause = 0;
    ActivityId before = 0;
  };
  /// A message that is propagating on its wires.
  struct Arriving {
    Callback arrived;
    ActivityId activity = 0;
  };

  void bottlenecked(std::uint32_t flow, std::uint32_t port, Instant now) override;
  void change(Leaving& leaving, Resource resource, Instant now);
  void end(Leaving& leaving, Instant now);
  Callback begin_way(ConnectionId id, Instant now, Instant there, Callback arrived);

  Recorder history_;
  std::vector<Resource> ports_;
  std::vector<Leaving> leaving_;             // by connection
  std::vector<ConnectionId> connection_of_;  // by flow
  Slots<Arriving> arriving_;
};

}  // namespace foretrain::sim
