// How long somebody has been silent, in the time of the one who listens.
#pragma once

#include "models/base/time.h"

#include <cstdint>
#include <optional>

namespace foretrain::exec {

/// A listener looks again and again, `interval_of(limit)` apart, how many bytes have come from
/// somebody. Between two looks it reads: its event loop takes what has come before it comes to a
/// timer that is due. The rule:
///
/// 1. A look that finds new bytes ends the silence, also where they are no whole message yet.
/// 2. A look that finds none makes the silence longer by the time since the look before, but by no
///    more than one interval.
/// 3. Who has been silent for `limit` is lost.
/// 4. Of one that waited for a core of this machine only what it had of it counts: it is slow, not
///    silent.
///
/// So what counts is time in which the listener itself ran. One that was stopped, starved of its
/// core or kept by a slow disk looks late, and counts an interval, whatever the clock says; before
/// it calls anybody silent it has read limit / interval times, so what was waiting is heard. It
/// calls nobody silent too soon; the less it runs, the later.
class Silence {
 public:
  explicit Silence(Duration limit) : limit_(limit) {}

  /// At `now`, when so many bytes have come in all. Returns whether the silence has lasted for the
  /// limit. The first look begins it. `had`: of a core since the look before, of one that waits for
  /// it now.
  bool look(Instant now, std::uint64_t bytes, std::optional<Duration> had = {});

  /// A look that finds so many bytes ends the silence, or begins it.
  [[nodiscard]] bool is_news(std::uint64_t bytes) const { return !looked_ || bytes != heard_; }

  /// How far apart looks are: a twelfth of the limit, but 10 to 250 ms.
  static Duration interval_of(Duration limit);

 private:
  Duration limit_;
  std::optional<Instant> looked_;
  std::uint64_t heard_ = 0;  // bytes
  Duration silent_;
};

}  // namespace foretrain::exec
