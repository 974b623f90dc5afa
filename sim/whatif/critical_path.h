// The critical path of a simulated training, from its beginning to its end.
#pragma once

#include "models/base/time.h"
#include "sim/history/history.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace foretrain::sim {

/// The longest chain of activities in which each could not begin before its predecessor ended, up
/// to the last change of the parameters: a delay of any of them delays the training (Kelley and
/// Walker 1959; for distributed programs Yang and Miller 1988). Every nanosecond from the beginning
/// to the end belongs to exactly one activity of the path.
struct CriticalPath {
  Duration length;
  /// By resource; they add up to `length`.
  std::array<Duration, kResources> times{};
  Duration queued;  ///< part in which a thread waited for a core that others used
  /// By resource, then by node that the time belongs to.
  std::array<std::vector<Duration>, kResources> nodes{};
  std::vector<ActivityId> activities;  ///< along the path, the first one first
  bool whole = true;                   ///< false if the history ended before the training did

  [[nodiscard]] Duration time(Resource resource) const {
    return times[static_cast<std::size_t>(resource)];
  }
  /// The resource's part of the path, 0 to 1.
  [[nodiscard]] double share(Resource resource) const;
  /// The node with most of a resource's time; nullopt if the resource has none.
  [[nodiscard]] std::optional<std::uint32_t> most_of(Resource resource) const;
  /// The resource with the most time.
  [[nodiscard]] Resource longest() const;
};

/// Computes the path of a simulation that has ended, with its last update at `end`.
CriticalPath critical_path(const History& history, Instant end);

}  // namespace foretrain::sim
