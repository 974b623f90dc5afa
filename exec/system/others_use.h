// How much of this machine's cores others had while something went on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// What the kernel has counted of some cores since the machine was started: seconds, added up.
struct CoreTimes {
  double busy = 0;  ///< threads of any process ran, or another virtual machine did (steal)
  double all = 0;
};

/// Of `cores`, from the text of /proc/stat (proc(5)). Interrupts count as neither busy nor others':
/// most are of packets. Nothing: it does not tell of all these cores.
std::optional<CoreTimes> core_times(std::string_view stat, const std::vector<int>& cores);

/// From its construction on.
class OthersUse {
 public:
  /// Ticks of the kernel are hundredths of a second: of less than this a share says nothing.
  static constexpr double kLeast_s = 0.5;

  OthersUse();
  /// Of the time of the cores that this process may use, the share, 0 to 1, that others had than
  /// this process and those of its children that have ended: other programs, other virtual
  /// machines. Nothing: too little time has passed, or the kernel does not tell.
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
