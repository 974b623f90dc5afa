// The event queue: virtual time with the actors that it wakes.
#pragma once

#include "models/base/fifo.h"
#include "models/base/time.h"
#include "sim/engine/run_queue.h"

#include <cstdint>

namespace foretrain::sim {

/// An object that the engine can wake at an instant. Each actor defines its own tokens.
class Actor {
 public:
  virtual ~Actor() = default;
  virtual void wake(Instant now, std::uint64_t token) = 0;
  /// The engine announces a `wake` with this token that comes soon. The actor may `fetch` what it
  /// will touch, and changes nothing.
  virtual void expect(std::uint64_t /*token*/) const {}
};

/// The actor to wake and its token. A null `actor` wakes nobody.
struct Callback {
  Actor* actor = nullptr;
  std::uint64_t token = 0;
};

/// The contract of scheduling:
/// 1. Events happen in the order of (instant, sequence): events of one instant in the order in
///    which they were scheduled. Nothing else, and no address, decides.
/// 2. Nothing can be scheduled before `now`.
/// 3. An event cannot be cancelled. An actor that changed its mind ignores the event by its token.
/// 4. Actors outlive the events that name them.
///
/// Events of the current instant wait in a queue. It begins with those that were scheduled before
/// the clock reached the instant. So the next events are known, and their memory can be prefetched.
class Engine {
 public:
  [[nodiscard]] Instant now() const { return now_; }
  /// True if nothing is scheduled.
  [[nodiscard]] bool idle() const { return pending() == 0; }
  /// Number of events that are still to come.
  [[nodiscard]] std::size_t pending() const { return later_.size() + now_due_.size(); }
  /// Number of events that have happened.
  [[nodiscard]] std::uint64_t events() const { return happened_; }

  void schedule(Instant at, Callback callback);

  /// Executes the next event; returns false if there is none.
  bool step();
  /// Executes events until none is left.
  void run() {
    while (step()) {
    }
  }

 private:
  Callback go_on();
  void look_ahead() const;

  struct Event {
    Instant at;
    std::uint64_t sequence;
    Callback callback;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  Instant now_;
  std::uint64_t scheduled_ = 0;
  std::uint64_t happened_ = 0;
  RunQueue<Event, Later, 2> later_;
  Fifo<Callback> now_due_;
};

}  // namespace foretrain::sim
