// A port with the flows through it: what it lets pass, what it gives those that it holds back.
#pragma once

#include "models/base/time.h"
#include "sim/engine/fetch.h"
#include "sim/engine/run_queue.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace foretrain::sim {

/// One direction of a link. A token bucket saves up to `burst` bytes at `rate` while less than that
/// passes, and lets what it has saved pass at kBurstRate: a shaped interface, a cloud's limit.
struct PortSpec {
  double rate = 0;   ///< above 0, bytes/s
  double burst = 0;  ///< bytes; 0: a plain port
};

/// What passes a token bucket that is not empty, bytes/s: about a virtual link's rate.
inline constexpr double kBurstRate = 5e9;

/// What `FlowNetwork` knows of a port (`flows.h` has the words); `Region` solves several together.
struct alignas(kCacheLine) FlowPort {
  static constexpr Instant kNever{std::numeric_limits<std::int64_t>::max()};

  /// A flow that the port holds back, by the virtual time of its end.
  struct Held {
    double end;
    std::uint64_t order;  ///< in which the flows began: those that end together end so, too
    std::uint32_t flow;
    std::uint32_t epoch;  ///< of the flow, when it was held; another one: no longer held here

    struct Later {
      bool operator()(const Held& a, const Held& b) const {
        return a.end != b.end ? a.end > b.end : a.order > b.order;
      }
    };
  };

  // What every flow on its way looks at comes first, in one line of a cache.
  PortSpec spec;
  double capacity = 0;         ///< now
  std::uint32_t count = 0;     ///< flows through it
  std::uint32_t promised = 0;  ///< while idle, for how many its holders' bounds are enough
  std::uint32_t held = 0;      ///< flows that it holds back
  bool active = false;
  bool dirty = false;
  bool changed = false;
  std::vector<std::uint32_t> listed;  ///< those through it, while it is idle, with gaps

  RunQueue<Held, Held::Later, 1> ends;  ///< of those held, and of some that no longer are
  double full_rate = 0;                 ///< spec.rate at pace 1
  double pace = 1;
  double level = 0;   ///< bytes/s
  double served = 0;  ///< V, bytes
  /// The least even share of an idle port on the paths of what it holds, or less.
  double bound = std::numeric_limits<double>::infinity();
  Instant settled;  ///< `served`, `tokens` are as of then
  double tokens = 0;
  double load = 0;            ///< of a token bucket that is active
  Instant planned = kNever;   ///< its next event
  std::uint32_t plan = 0;     ///< which counts
  std::uint32_t index = 0;    ///< in the equations
  std::uint64_t visited = 0;  ///< by which search

  [[nodiscard]] double even_share() const { return capacity / count; }
  /// Of what it passes for good: where no flow has more, a token bucket that is full stays full, so
  /// the port holds nothing back and may be idle.
  [[nodiscard]] double idle_share() const { return spec.rate / count; }
  /// The same, as bounds count it: so that not each flow more has all of them lowered.
  [[nodiscard]] double promised_share() const { return spec.rate / std::max(count, promised); }
  /// A token bucket that is not full; as of `settled`.
  [[nodiscard]] bool lacks_tokens() const { return tokens < spec.burst; }
  /// Of a token bucket with something in it.
  [[nodiscard]] double burst_rate() const { return pace * std::max(kBurstRate, full_rate); }

  /// Counts what has passed up to `now`.
  void settle(Instant now);
  /// A token bucket's capacity, by what it has saved. Of one that is settled.
  void renew_capacity();
};

}  // namespace foretrain::sim
