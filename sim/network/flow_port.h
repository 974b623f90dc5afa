// A port: its capacity, the flows through it, the fair rate of those that it limits.
#pragma once

#include "models/base/time.h"
#include "sim/engine/fetch.h"
#include "sim/engine/run_queue.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace foretrain::sim {

/// One direction of a link. A token bucket accumulates up to `burst` bytes at `rate` while less
/// than that passes, and lets the saved bytes pass at kBurstRate. It models a shaped interface or a
/// cloud's limit.
struct PortSpec {
  double rate = 0;   ///< above 0, bytes/s
  double burst = 0;  ///< bytes; 0 for a port without token bucket
};

/// Rate of a token bucket that is not empty, bytes/s: about the rate of a virtual link.
inline constexpr double kBurstRate = 5e9;

/// State of a port in `FlowNetwork` (terms: `flows.h`); `AffectedComponent` solves several ports
/// together.
struct alignas(kCacheLine) FlowPort {
  static constexpr Instant kNever{std::numeric_limits<std::int64_t>::max()};

  /// A flow whose bottleneck is this port, keyed by the virtual time of its end.
  struct Bottlenecked {
    double end;
    std::uint64_t order;  ///< order in which the flows began; decides if several end together
    std::uint32_t flow;
    std::uint32_t epoch;  ///< of the flow when held; if it changed, the entry is stale

    struct Later {
      bool operator()(const Bottlenecked& a, const Bottlenecked& b) const {
        return a.end != b.end ? a.end > b.end : a.order > b.order;
      }
    };
  };

  // Fields that every flow looks at come first, in one cache line.
  PortSpec spec;
  double capacity = 0;             ///< bytes/s at present
  std::uint32_t count = 0;         ///< flows through it
  std::uint32_t promised = 0;      ///< while idle: the flow count for which bounds hold
  std::uint32_t bottlenecked = 0;  ///< flows whose bottleneck it is
  bool active = false;
  bool dirty = false;
  bool changed = false;
  std::vector<std::uint32_t> listed;  ///< flows through it while it is idle, with gaps

  RunQueue<Bottlenecked, Bottlenecked::Later, 1>
      ends;              ///< ends of held flows; may contain stale entries
  double full_rate = 0;  ///< spec.rate if pace is 1
  double rate_factor = 1;
  double fair_rate = 0;  ///< fair rate, bytes/s
  double served = 0;     ///< virtual time V, bytes
  /// At most the smallest even share of the idle ports on the paths of its held flows.
  double bound = std::numeric_limits<double>::infinity();
  Instant advanced_to;  ///< instant that `served` and `tokens` refer to
  double tokens = 0;
  double load = 0;            ///< load of an active token bucket
  Instant planned = kNever;   ///< instant of its next event
  std::uint32_t plan = 0;     ///< number of the plan that counts
  std::uint32_t index = 0;    ///< its number in the equations
  std::uint64_t visited = 0;  ///< number of the last search that visited it

  [[nodiscard]] double even_share() const { return capacity / count; }
  /// Even share of the sustained rate. If no flow has more, a full token bucket stays full: the
  /// port is nobody's bottleneck and may be idle.
  [[nodiscard]] double idle_share() const { return spec.rate / count; }
  /// `idle_share` as bounds use it: not every additional flow has to lower all bounds.
  [[nodiscard]] double promised_share() const { return spec.rate / std::max(count, promised); }
  /// True for a token bucket that is not full, as of `advanced_to`.
  [[nodiscard]] bool lacks_tokens() const { return tokens < spec.burst; }
  /// Rate of a token bucket that is not empty.
  [[nodiscard]] double burst_rate() const { return rate_factor * std::max(kBurstRate, full_rate); }

  /// Advances the port's counters to `now`.
  void advance_to(Instant now);
  /// Sets a token bucket's capacity by its saved bytes. The port must be settled.
  void renew_capacity();
};

}  // namespace foretrain::sim
