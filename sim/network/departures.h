// What messages wait for on their way out of a connection, as the history has it.
#pragma once

#include "sim/engine/engine.h"
#include "sim/engine/slots.h"
#include "sim/history/recorder.h"
#include "sim/network/flows.h"

#include <cstdint>
#include <vector>

namespace foretrain::sim {

/// Follows the message that each connection sends: it waits for those before it, for the port that
/// holds it back, for a window of TCP, then for the wire. A span ends where another reason begins,
/// and is told the history. Where none is kept every call does nothing.
///
///     begins -> waits_for (a port, a window; as often as that changes) -> left -> arrives
///                                            the next one of the connection -> follows
class Departures : public Actor, private HoldWatcher {
 public:
  using ConnectionId = std::uint32_t;

  /// `ports`: what each port of `flows` counts as.
  Departures(FlowNetwork& flows, std::vector<Resource> ports, Recorder history);

  /// What is done now, of which a message comes.
  [[nodiscard]] ActivityId cause() const { return history_.current(); }
  /// A port that `flows` has got since.
  void add_port(Resource resource) { ports_.push_back(resource); }
  void add_connection() {
    if (history_.keeps()) leaving_.emplace_back();
  }
  /// The connection, which had nothing to send, begins to send what `cause` made.
  void begins(ConnectionId id, Instant now, ActivityId cause) {
    if (history_.keeps()) leaving_[id] = {now, Resource::waiting, cause, 0};
  }
  /// Its bytes are moved by this flow.
  void is_moved_by(ConnectionId id, FlowNetwork::FlowId flow);
  /// From now on.
  void waits_for(ConnectionId id, Resource resource, Instant now) {
    if (history_.keeps()) change(leaving_[id], resource, now);
  }
  /// The last byte of its message has left and will be `there`; `arrived` is to be woken then.
  /// Returns whom to wake in its place.
  Callback left(ConnectionId id, Instant now, Instant there, Callback arrived) {
    return history_.keeps() ? begin_way(id, now, there, arrived) : arrived;
  }
  /// After that: the next message of the connection, which `cause` made.
  void follows(ConnectionId id, ActivityId cause);

  void wake(Instant now, std::uint64_t token) override;

 private:
  /// What the message that a connection sends now waits for, since when.
  struct Leaving {
    Instant since;
    Resource resource = Resource::waiting;
    ActivityId cause = 0;
    ActivityId before = 0;
  };
  /// A message on its wires.
  struct Arriving {
    Callback arrived;
    ActivityId activity = 0;
  };

  void held(std::uint32_t flow, std::uint32_t port, Instant now) override;
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
