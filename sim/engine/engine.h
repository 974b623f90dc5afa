// The event queue: virtual time, with who acts next in it.
#pragma once

#include "models/base/fifo.h"
#include "models/base/time.h"
#include "sim/engine/run_queue.h"

#include <cstdint>

namespace foretrain::sim {

/// Something that can be woken at an instant. What `token` means is the actor's own.
class Actor {
 public:
  virtual ~Actor() = default;
  virtual void wake(Instant now, std::uint64_t token) = 0;
  /// It is woken soon, with that token: it may `fetch` what it will touch. Changes nothing.
  virtual void expect(std::uint64_t /*token*/) const {}
};

/// Whom to wake, with which token; `actor` null: nobody.
struct Callback {
  Actor* actor = nullptr;
  std::uint64_t token = 0;
};

/// The contract of scheduling:
/// 1. Events happen in the order of (instant, sequence): those of one instant in the order in which
///    they were scheduled. Nothing else, and no address, decides.
/// 2. Nothing can be scheduled before `now`.
/// 3. An event cannot be taken back; an actor that changed its mind ignores it, by its token.
/// 4. Actors outlive the events that name them.
///
/// Events of this very instant wait in a queue: first those that were scheduled before the clock
/// came here. So it is known which come next, and what they need can be fetched.
class Engine {
 public:
  [[nodiscard]] Instant now() const { return now_; }
  /// Nothing is scheduled.
  [[nodiscard]] bool idle() const { return pending() == 0; }
  /// Events that are still to come.
  [[nodiscard]] std::size_t pending() const { return later_.size() + now_due_.size(); }
  /// Events that have happened.
  [[nodiscard]] std::uint64_t events() const { return happened_; }

  void schedule(Instant at, Callback callback);

  /// Lets the next event happen; false where there is none.
  bool step();
  /// Until no event is left.
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
