// CPU time of this machine that other processes used during an interval.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// Times of some cores since boot, as the kernel counts them: seconds, summed.
struct CoreTimes {
  double busy = 0;  ///< time of any process, or of another virtual machine (steal)
  double all = 0;
};

/// Parses the text of /proc/stat (proc(5)) for `cores`. Interrupts count as neither busy nor
/// others': most belong to packets. nullopt if some of these cores are missing.
std::optional<CoreTimes> core_times(std::string_view stat, const std::vector<int>& cores);

/// Measures from its construction on.
class OthersUse {
 public:
  /// Kernel ticks are hundredths of a second: over a shorter time a share is meaningless.
  static constexpr double kLeast_s = 0.5;

  OthersUse();
  /// Share, 0 to 1, of the time of this process's usable cores that others had: other programs,
  /// other virtual machines, but not this process and its children that have ended. nullopt if too
  /// little time has passed, or the kernel does not report it.
  [[nodiscard]] std::optional<double> share() const;

 private:
  struct Look {
    std::optional<CoreTimes> cores;
    double ours_s = 0;
  };
  [[nodiscard]] Look look() const;

  std::vector<int> cores_;
  Look begun_;
};

}  // namespace foretrain::exec
