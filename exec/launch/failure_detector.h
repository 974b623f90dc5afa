// A failure detector that counts silence in the listener's own running time.
#pragma once

#include "models/base/time.h"

#include <cstdint>
#include <optional>

namespace foretrain::exec {

/// A listener checks at intervals of `interval_of(limit)` how many bytes have come from a peer.
/// Between two checks it reads: its event loop handles received data before a timer that is due.
/// The rules:
///
/// 1. A check that finds new bytes ends the silence, even if they are not a whole message yet.
/// 2. A check that finds none extends the silence by the time since the check before, but at most
///    by one interval.
/// 3. A peer that has been silent for `limit` is lost.
/// 4. If the peer waited for a core of this machine, only its CPU time counts: it is slow, not
///    silent.
///
/// So only time counts in which the listener itself ran. A listener that was stopped, starved of
/// its core or delayed by a slow disk checks late, and counts one interval, whatever the clock
/// says. Before it declares a peer silent it has read limit / interval times, so waiting data are
/// received. It never declares a peer silent too early; the less it runs, the later it does.
class FailureDetector {
 public:
  explicit FailureDetector(Duration limit) : limit_(limit) {}

  /// A check at `now` with this total of bytes. Returns whether the silence has reached the limit.
  /// The first check begins it. `had`: CPU time since the check before, for a peer that waits for a
  /// core now.
  bool look(Instant now, std::uint64_t bytes, std::optional<Duration> had = {});

  /// True if a check with this total of bytes ends the silence, or begins it.
  [[nodiscard]] bool is_news(std::uint64_t bytes) const { return !looked_ || bytes != heard_; }

  /// The interval of checks: a twelfth of the limit, within 10 to 250 ms.
  static Duration interval_of(Duration limit);

 private:
  Duration limit_;
  std::optional<Instant> looked_;
  std::uint64_t heard_ = 0;  // bytes
  Duration silent_;
};

}  // namespace foretrain::exec
