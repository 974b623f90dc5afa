// What a simulated training had to wait for, from its beginning to its end.
#pragma once

#include "models/base/time.h"
#include "sim/history/history.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace foretrain::sim {

/// The longest chain of activities, each of which could not begin before the one ahead of it ended,
/// up to the last change of the parameters: a delay of any of them delays the training (Kelley and
/// Walker 1959; of distributed programs Yang and Miller 1988). Every nanosecond from the beginning
/// to the end is on it once.
struct CriticalPath {
  Duration length;
  /// By resource; they add up to `length`.
  std::array<Duration, kResources> times{};
  Duration queued;  ///< of it, a thread waited for a core that somebody else had
  /// By resource, then by node: whose time it was.
  std::array<std::vector<Duration>, kResources> nodes{};
  std::vector<ActivityId> activities;  ///< along it, the first one first
  bool whole = true;                   ///< false: the history ended before the training did

  [[nodiscard]] Duration time(Resource resource) const {
    return times[static_cast<std::size_t>(resource)];
  }
  /// Its part of the path, 0 to 1.
  [[nodiscard]] double share(Resource resource) const;
  /// The node that has most of a resource's time; nothing where it has none.
  [[nodiscard]] std::optional<std::uint32_t> most_of(Resource resource) const;
  /// The resource with the most time.
  [[nodiscard]] Resource longest() const;
};

/// Of a simulation that has ended, whose last update was at `end`.
CriticalPath critical_path(const History& history, Instant end);

}  // namespace foretrain::sim
